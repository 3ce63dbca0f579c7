"""Names of models, and the functions that make them."""

_ENTRYPOINTS = {}


def register_model(fn):
    _ENTRYPOINTS[fn.__name__] = fn
    return fn


def list_models():
    return sorted(_ENTRYPOINTS)


def create_model(name, **kwargs):
    if name not in _ENTRYPOINTS:
        raise RuntimeError(f"Unknown model {name}")
    return _ENTRYPOINTS[name](**kwargs)
