import { readFileSync } from 'node:fs'
import tab from '@bomb.sh/tab/commander'
import { Command, CommanderError } from 'commander'
import { OperatorError, UsageError } from '../operator/operator-answers.ts'
import { addOperatorCommands, type Io } from '../operator/remote-commands.ts'
import { addLocalCommands } from './local-commands.ts'

/** The output and the exit code of the process: 0 success, 1 refused or failed, 2 wrong usage. */
export type Ending = { readonly code: 0 | 1 | 2; readonly out: string; readonly err: string }

/** Runs one command. Files and progress are written meanwhile, and are not part of the ending. */
export async function run(
  args: readonly string[],
  env: Io['env'],
  streams: Pick<Io, 'output' | 'terminal'>,
): Promise<Ending> {
  let [out, err] = ['', '']
  const program = createProgram({ ...streams, env, print: (text) => void (out += `${text}\n`) })
  const write = {
    writeOut: (text: string) => void (out += text),
    writeErr: (text: string) => void (err += text),
    outputError: (text: string) => void (err += oneLine(text)),
  }
  for (const command of withSubcommands(program)) command.exitOverride().configureOutput(write)
  try {
    await program.parseAsync(args, { from: 'user' })
    return { code: 0, out, err }
  } catch (error) {
    if (error instanceof CommanderError) return { code: error.exitCode === 0 ? 0 : 2, out, err }
    if (error instanceof UsageError) return { code: 2, out: '', err: `error: ${error.message}\n` }
    if (error instanceof OperatorError) return { code: 1, out, err: `${error.message}\n` }
    throw error
  }
}

/** Creates the table of all commands. */
export function createProgram(io: Io): Command {
  const program = new Command('payments-subgraph')
    .description('A GraphQL subgraph in front of a payments API. Settings are read from the environment.')
    .version(versionOfPackage(), '-v, --version')
    .addHelpText('after', '\nExit codes: 0 done, 1 refused or failed, 2 wrong usage.')
  addLocalCommands(program, io)
  addOperatorCommands(program, io)
  tab(program)
  return program
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)]
}

/** Puts the suggestion into the line of the error, and leaves out what stands where nothing belongs: it may be a secret. */
function oneLine(text: string): string {
  return text
    .replace(/(unknown option '--?[\w-]+)=[^\n]*'/, "$1'")
    .replace(/(arguments? but got \d+): .*/, '$1.')
    .replace(/\n\(/, ' (')
}

/** The package root is two folders up, from src as from dist. */
function versionOfPackage(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
