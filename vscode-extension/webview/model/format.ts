/** Numbers and shapes as people write them. */

const UNITS = ["", "k", "M", "G", "T", "P"];
const BYTES = ["B", "KB", "MB", "GB", "TB", "PB"];

/** `1.77 M`, `905`; three digits are enough. */
export function count(number: number): string {
  return scaled(number, UNITS, " ");
}

/** `2.25 MB`, in steps of 1000. */
export function bytes(number: number): string {
  return scaled(number, BYTES, " ");
}

/** `906 MFLOPs`. */
export function flops(number: number): string {
  const text = count(number);
  return text.includes(" ") ? `${text}FLOPs` : `${text} FLOPs`;
}

/** `1 operation`, `12 operations`. */
export function plural(number: number, what: string): string {
  return `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`;
}

/** `7.3 %`, `<0.1 %`. */
export function share(part: number, whole: number): string {
  if (part <= 0 || whole <= 0) {
    return "0 %";
  }
  const percent = (100 * part) / whole;
  if (percent < 0.1) {
    return "<0.1 %";
  }
  return `${percent < 10 ? percent.toFixed(1) : percent.toFixed(0)} %`;
}

/** The last part of a path of a file. */
export function fileOf(uri: string): string {
  return decodeURIComponent(uri.slice(uri.lastIndexOf("/") + 1));
}

function scaled(number: number, units: readonly string[], gap: string): string {
  let step = 0;
  let rest = number;
  while (rest >= 999.5 && step < units.length - 1) {
    rest /= 1000;
    step += 1;
  }
  const digits = step === 0 || rest >= 99.95 ? 0 : rest >= 9.995 ? 1 : 2;
  const text = String(Number(rest.toFixed(digits)));
  const unit = units[step] ?? "";
  return unit === "" ? text : `${text}${gap}${unit}`;
}
