/** Prints a line beside the test's result: a seed for repeating the run, or a measurement. */
export function tell(line: string): void {
  process.stdout.write(`${line}\n`)
}
