import type { Command } from 'commander'
import { OperatorError } from './operator-answers.ts'

/** What a command prints: `text` for people, `data` as JSON. */
export type Report = {
  readonly data: unknown
  readonly text: string
  /** Why the command ends with 1 nevertheless. Default: it does not. */
  readonly problem?: string | undefined
}

/** Adds `--json` to a command, and prints the report of `run`, which gets the options and the arguments. */
export function reporting(
  command: Command,
  { print }: { readonly print: (text: string) => void },
  run: (options: never, args: readonly string[]) => Report | Promise<Report>,
): Command {
  return command.option('--json', 'print JSON', false).action(async function (this: Command) {
    const options = this.opts<{ readonly json: boolean }>()
    const { data, text, problem } = await run(options as never, this.processedArgs.flat() as string[])
    print(options.json ? JSON.stringify(data, null, 2) : text)
    if (problem !== undefined) throw new OperatorError(problem)
  })
}

/** Returns the report of a single value, which is its own text. */
export function valued(data: Readonly<Record<string, string>>): Report {
  return { data, text: Object.values(data).join(' ') }
}
