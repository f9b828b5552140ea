/** Prints a line beside the test's result: a seed to repeat the run with, or a figure that was measured. */
export function tell(line: string): void {
  process.stdout.write(`${line}\n`)
}
