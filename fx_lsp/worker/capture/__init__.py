"""How a run is observed: probes in the source, a recorder of torch calls, the stack of modules."""
