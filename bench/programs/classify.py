import torch
from PIL import Image
from torchvision import transforms
from torchvision.models import resnet18

model = resnet18(pretrained=True)
model.eval()
tf = transforms.Compose([transforms.Resize(256), transforms.CenterCrop(224), transforms.ToTensor()])
img = Image.open("dog.jpg").convert("RGB")
x = tf(img).unsqueeze(0)
with torch.no_grad():
    out = model(x)
probs = torch.softmax(out[0], dim=0)
top5 = torch.topk(probs, 5)
