// Runs a Python script with the interpreter that the environment variable PYTHON names, else python3.
import { spawnSync } from "node:child_process";

const python = process.env["PYTHON"] ?? "python3";
const { status, error } = spawnSync(python, process.argv.slice(2), { stdio: "inherit" });
if (error !== undefined) {
  console.error(`${python}: ${error.message}; name an interpreter: PYTHON=python3.12 npm run package`);
}
process.exit(status ?? 1);
