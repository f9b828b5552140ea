#!/usr/bin/env node
/** The command line of the package. Each command is a program that can also be run directly and reads the arguments after it. */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { nodeFault } from './lib/node-fault.ts'

type Command = {
  readonly about: string
  /** The program reads no arguments, so it could not report wrong ones. */
  readonly takesNone?: true
  /** The name of the command is the first argument of the program. */
  readonly isArgument?: true
  readonly run: () => Promise<unknown>
}

const COMMANDS: Readonly<Record<string, Command>> = {
  start: {
    about: 'the subgraph, with the sandbox where no service is configured',
    takesNone: true,
    run: async () => (await import('./main.ts')).runServer(),
  },
  sandbox: {
    about: 'the sandbox alone: an emulator of the payments API, with its page; --port, --host, --allowed-host',
    run: () => import('./sandbox.ts'),
  },
  operator: { about: 'deliveries that need a look: operator help', run: () => import('./operator/main.ts') },
  import: {
    about: 'what the payments API has and this does not: import --from <instant>; --to, --dry-run; see operator help',
    isArgument: true,
    run: () => import('./operator/main.ts'),
  },
  token: { about: 'a client token for development: token "<scopes>" [subject]', run: () => import('./token.ts') },
  backup: { about: 'a copy of the database: backup <database> <copy>', run: () => import('./backup.ts') },
}

const USAGE = `Usage: payments-subgraph <command>

${Object.entries(COMMANDS)
  .map(([name, { about }]) => `  ${name.padEnd(10)} ${about}`)
  .join('\n')}
  help       this text
  --version  the version of the package

Settings are read from the environment.
`

const fault = nodeFault('payments-subgraph')
if (fault !== null) {
  process.stderr.write(fault)
  process.exit(1)
}
const [name, ...rest] = process.argv.slice(2)
const command = name === undefined || !Object.hasOwn(COMMANDS, name) ? undefined : COMMANDS[name]
if (command === undefined) answer(name === undefined ? [] : [name, ...rest])
else if (command.takesNone === true && rest.length > 0) answer(rest)
else {
  // The programs read their own arguments, so the name of the command is removed.
  if (command.isArgument !== true) process.argv.splice(2, 1)
  await command.run()
}

/** Handles arguments that name no command: help, the version, or an error. */
function answer(args: string[]): void {
  const asked = read(args)
  if (asked === 'help') process.stdout.write(USAGE)
  else if (asked === 'version') process.stdout.write(`${versionOfPackage()}\n`)
  else {
    process.stderr.write(`${asked}\n\n${USAGE}`)
    process.exitCode = 2
  }
}

/** Returns the requested text, or a message that says why the arguments are invalid. */
function read(args: string[]): string {
  const options = { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'v' } } as const
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    if (values.version === true && positionals.length === 0) return 'version'
    if (values.help === true || positionals[0] === 'help') return 'help'
    return positionals.length === 0 ? 'The command is missing.' : 'Unknown command, or it takes no arguments.'
  } catch {
    return 'Unknown option.'
  }
}

/** The package root is one folder up, from src as from dist. */
function versionOfPackage(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
