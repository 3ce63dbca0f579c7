"""E(n)-equivariant graph network for charged particles, on plain edge lists."""

import torch
import torch.nn as nn


def unsorted_segment_sum(data, segment_ids, num_segments):
    result = data.new_zeros((num_segments, data.size(1)))
    index = segment_ids.unsqueeze(-1).expand(-1, data.size(1))
    result.scatter_add_(0, index, data)
    return result


def unsorted_segment_mean(data, segment_ids, num_segments):
    index = segment_ids.unsqueeze(-1).expand(-1, data.size(1))
    total = data.new_zeros((num_segments, data.size(1))).scatter_add_(0, index, data)
    count = data.new_zeros((num_segments, data.size(1))).scatter_add_(0, index, torch.ones_like(data))
    return total / count.clamp(min=1)


class E_GCL(nn.Module):
    def __init__(self, input_nf, output_nf, hidden_nf, edges_in_d=0, residual=True):
        super().__init__()
        self.residual = residual
        radial_nf, act_fn = 1, nn.SiLU()
        self.edge_mlp = nn.Sequential(
            nn.Linear(input_nf * 2 + radial_nf + edges_in_d, hidden_nf), act_fn, nn.Linear(hidden_nf, hidden_nf), act_fn
        )
        self.node_mlp = nn.Sequential(
            nn.Linear(hidden_nf + input_nf, hidden_nf), act_fn, nn.Linear(hidden_nf, output_nf)
        )
        last = nn.Linear(hidden_nf, 1, bias=False)
        nn.init.xavier_uniform_(last.weight, gain=0.001)
        self.coord_mlp = nn.Sequential(nn.Linear(hidden_nf, hidden_nf), act_fn, last)
        self.vel_mlp = nn.Sequential(nn.Linear(input_nf, hidden_nf), act_fn, nn.Linear(hidden_nf, 1))
        self.att_mlp = nn.Sequential(nn.Linear(hidden_nf, 1), nn.Sigmoid())

    def edge_model(self, source, target, radial, edge_attr):
        out = torch.cat([source, target, radial], dim=1)
        if edge_attr is not None:
            out = torch.cat([out, edge_attr], dim=1)
        out = self.edge_mlp(out)
        return out * self.att_mlp(out)

    def node_model(self, h, edge_index, edge_feat):
        row, col = edge_index
        agg = unsorted_segment_sum(edge_feat, row, h.size(0))
        out = self.node_mlp(torch.cat([h, agg], dim=1))
        return h + out if self.residual else out

    def coord_model(self, coord, edge_index, coord_diff, edge_feat):
        row, _ = edge_index
        trans = coord_diff * self.coord_mlp(edge_feat)
        return coord + unsorted_segment_mean(trans, row, coord.size(0))

    def coord2radial(self, edge_index, coord):
        row, col = edge_index
        diff = coord[row] - coord[col]
        radial = diff.pow(2).sum(1, keepdim=True)
        return radial, diff / (radial.sqrt() + 1)

    def forward(self, h, edge_index, coord, vel, edge_attr=None):
        row, col = edge_index
        radial, coord_diff = self.coord2radial(edge_index, coord)
        edge_feat = self.edge_model(h[row], h[col], radial, edge_attr)
        coord = self.coord_model(coord, edge_index, coord_diff, edge_feat)
        coord = coord + self.vel_mlp(h) * vel
        return self.node_model(h, edge_index, edge_feat), coord


class EGNN(nn.Module):
    def __init__(self, in_node_nf, in_edge_nf, hidden_nf=32, n_layers=3):
        super().__init__()
        self.embedding = nn.Linear(in_node_nf, hidden_nf)
        self.layers = nn.ModuleList(
            E_GCL(hidden_nf, hidden_nf, hidden_nf, edges_in_d=in_edge_nf) for _ in range(n_layers)
        )
        self.energy = nn.Sequential(nn.Linear(hidden_nf, hidden_nf), nn.SiLU(), nn.Linear(hidden_nf, 1))

    def forward(self, speed, edges, loc, vel, edge_attr, n_nodes):
        h = self.embedding(speed)
        for layer in self.layers:
            h, loc = layer(h, edges, loc, vel, edge_attr)
        pooled = h.view(-1, n_nodes, h.size(1)).mean(dim=1)
        return loc, self.energy(pooled).squeeze(1)


def fully_connected(n_nodes, batch_size):
    rows, cols = [], []
    for i in range(n_nodes):
        for j in range(n_nodes):
            if i != j:
                rows.append(i)
                cols.append(j)
    edges = torch.tensor([rows, cols])
    offsets = torch.arange(batch_size) * n_nodes
    return (edges[:, None, :] + offsets[None, :, None]).reshape(2, -1)


class NBody:
    """Batches of random systems: places, velocities, charges and where they are after some time."""

    def __init__(self, n_nodes=5, size=16):
        self.n_nodes = n_nodes
        self.loc, self.vel = torch.randn(size, n_nodes, 3), torch.randn(size, n_nodes, 3)
        self.charges = torch.randint(0, 2, (size, n_nodes, 1)).float() * 2 - 1
        self.target = self.loc + 0.1 * self.vel
        self.energy = self.vel.pow(2).sum(dim=(1, 2))

    def batches(self, batch_size):
        for i in range(0, len(self.loc), batch_size):
            part = slice(i, i + batch_size)
            yield self.loc[part], self.vel[part], self.charges[part], self.target[part], self.energy[part]


def train(epochs=1, batch_size=8):
    data = NBody()
    model = EGNN(in_node_nf=1, in_edge_nf=2)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    edges = fully_connected(data.n_nodes, batch_size)
    for _ in range(epochs):
        for loc, vel, charges, target, energy in data.batches(batch_size):
            loc, vel, target = (t.reshape(-1, 3) for t in (loc, vel, target))
            charges = charges.reshape(-1, 1)
            row, col = edges
            distance = (loc[row] - loc[col]).pow(2).sum(1, keepdim=True)
            edge_attr = torch.cat([charges[row] * charges[col], distance], dim=1)
            speed = vel.norm(dim=1, keepdim=True)
            predicted, e = model(speed, edges, loc, vel, edge_attr, data.n_nodes)
            loss = nn.functional.mse_loss(predicted, target) + nn.functional.mse_loss(e, energy)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    train()
