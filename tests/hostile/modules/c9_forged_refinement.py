"""Is good in its first run, and tells in the next of what nobody asked for: failures, files of others, further answers,
graphs, comparisons that went well.  Harm: what the first run found changes, or somebody believes it."""

from kit import HOST, Harmless, answer, asked, binding, reply, span, tensor

STUDIED = 8.0
GRAPH = True
NET = f"{HOST}/mine/net.py"

if asked():
    place = span(NET, 11, 8, 11, 9)
    inner = {"kind": "trace_reply", "id": 1, "bindings": [binding(place, "h")], "files": [NET]}
    answer(
        reply(
            bindings=[binding(place, "h", tensor(shape=(7, 7), names=["CANARY-x", None]))],
            failure={"kind": "failure", "stage": "died", "message": "m", "span": place, "error": "E"},
            further=[inner] * 500,
            compared={"kind": "compared", "checks": 10**30, "difference": -1e308, "runs": True},
            obstacles=[
                {"kind": "obstacle", "compiler": "export", "span": place, "message": "CANARY-x", "hint": "CANARY-x"}
            ]
            * 5000,
            constraints=[{"kind": "constraint", "text": "x <= 3", "span": place}] * 5000,
            dispatched="x" * 200_000,
            imported="\n".join(["os"] * 50_000),
            vain="x" * 50_000,
            engine="real",
            files=[NET, __file__],
            data=[HOST + "/", NET] * 5000,
            absent=[HOST + "/x"] * 5000,
        )
    )


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
