"""Answers with as many facts as fit: the server has to merge, show and send them.  Harm: it is busy for long."""

from kit import Harmless, answer, binding, operation, reply, span

here = [span(__file__, 10, column, 10, column + 1) for column in range(30)]
answer(
    reply(
        bindings=[binding(here[number % 30], f"x{number}") for number in range(40_000)],
        operations=[operation(here[number % 30], f"torch.f{number}") for number in range(20_000)],
        files=[__file__],
    )
)


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
