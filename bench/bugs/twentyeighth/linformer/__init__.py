from linformer.linformer import Linformer, LinformerLM, LinformerSelfAttention
