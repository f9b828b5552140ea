import { readFileSync } from 'node:fs'
import { type Command, InvalidArgumentError } from 'commander'
import { ALL_SCOPES, isScope, type Scope } from '../access/caller.ts'
import { type Config, describeFaults, parseConfig } from '../config.ts'
import { loadDevelopmentKeys } from '../dev-keys.ts'
import { OperatorError, UsageError } from '../operator/operator-answers.ts'
import type { Io } from '../operator/remote-commands.ts'
import { type Report, reporting, valued } from '../operator/report.ts'
import { BackupError, backUp } from '../store/sqlite/files.ts'

const MAX_TTL_SECONDS = 30 * 24 * 3600

/** Adds the commands that run here, and ask no running subgraph. Modules are loaded when their command runs. */
export function addLocalCommands(program: Command, io: Io): void {
  program
    .command('start')
    .description('run the subgraph, with the sandbox where no payments API is configured')
    .action(async () => (await import('../main.ts')).runServer())
  program
    .command('sandbox')
    .description('run the sandbox alone: an emulator of the payments API, with its page')
    .option('--port <number>', 'where to listen; default: SANDBOX_PORT, or 4010; 0 for any free port')
    .option('--host <address>', 'at which address; default: HOST, or 127.0.0.1')
    .option('--allowed-host <name...>', 'further names under which it may be reached')
    .option('--reset', 'remove all data of the sandbox that runs there, and end')
    .action(async (options: { port?: string; host?: string; allowedHost?: string[]; reset?: true }) => {
      process.argv.splice(2, Infinity, ...argumentsOf(options))
      await import('../sandbox.ts')
    })
  const trigger = program
    .command('trigger')
    .description('make an event happen in the sandbox, or run a scenario')
    .argument('[event]', 'such as payment.failed, agreement.active, payout.finished, webhook.duplicate')
    .option('--id <id>', 'of the payment, agreement or payout; a new link without one')
    .option('--set <name=value>', 'such as failure_code=insufficient_funds; may be repeated', pairsIn, {})
    .option('--scenario <file>', 'a file of steps, in YAML')
    .option('--sandbox <origin>', 'address of the sandbox', 'http://127.0.0.1:4010')
  reporting(trigger, io, (options: TriggerOptions, [event]) => triggered(event, options, io))
  program
    .command('demo')
    .description('show the course of a payment, from link to received')
    .action(async () => void (await import('../demo.ts')))
  const migrate = program.command('migrate').description('bring the database to this version, and end')
  reporting(migrate, io, () => migrated(configOf(io)))
  const doctor = program
    .command('doctor')
    .description('what is wrong with the settings, the payments API, webhooks, the database and this machine')
  reporting(doctor, io, async () => (await import('../doctor/diagnose.ts')).diagnose(configOf(io)))
  const token = program
    .command('token')
    .description('a client token for development, signed with the first of JWT_SECRETS')
    .argument('<scopes>', `separated by spaces: ${ALL_SCOPES.join(' ')}`)
    .argument('[subject]', 'the sub of the token')
    .option('--ttl <seconds>', 'how long it is valid', secondsIn, 3600)
  reporting(token, io, async ({ ttl }: { ttl: number }, [scopes = '', subject = null]) =>
    valued({ token: await tokenOf(configOf(io), { scopes: scopesIn(scopes), subject, ttlSeconds: ttl }) }),
  )
  const backup = program
    .command('backup')
    .description('copy a SQLite database while it is in use')
    .argument('<database>', 'path of the file')
    .argument('<copy>', 'path of the copy, which must not exist')
  reporting(backup, io, (_options, [from = '', to = '']) => copied(from, to, 'Backed up'))
  const restore = program
    .command('restore')
    .description('make a SQLite database from a copy; the next start reads what has changed since')
    .argument('<copy>', 'path of the copy')
    .argument('<database>', 'path of the database, which must not exist')
  reporting(restore, io, (_options, [from = '', to = '']) => copied(from, to, 'Restored'))
}

function argumentsOf(options: Readonly<Record<string, string | string[] | true | undefined>>): string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    const option = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    return value === true ? [option] : [value ?? []].flat().flatMap((one) => [option, one])
  })
}

type TriggerOptions = {
  readonly id?: string
  readonly set: Readonly<Record<string, string>>
  readonly scenario?: string
  readonly sandbox: string
}

async function triggered(
  event: string | undefined,
  { id, set, scenario, sandbox: origin }: TriggerOptions,
  { terminal }: Io,
): Promise<Report> {
  if ((event === undefined) === (scenario === undefined)) throw new UsageError('Pass either an event or --scenario.')
  const { runScenario, ScenarioError, trigger } = await import('../trigger.ts')
  try {
    if (event !== undefined)
      return valued({ id: await trigger(event, { origin, set, ...(id === undefined ? {} : { id }) }) })
    const onStep = (number: number, step: string) => void terminal.write(`${number}. ${step}\n`)
    const ids = await runScenario(readFileSync(scenario ?? '', 'utf8'), { origin, onStep })
    return { data: ids, text: JSON.stringify(ids) }
  } catch (error) {
    if (error instanceof ScenarioError) throw new OperatorError(error.message)
    if (error instanceof Error && 'syscall' in error) throw new UsageError('The file of --scenario cannot be read.')
    throw error
  }
}

function pairsIn(text: string, before: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const [, name, value] = /^(\w+)=(.*)$/s.exec(text) ?? []
  if (name === undefined || value === undefined) throw new InvalidArgumentError('It must be name=value.')
  return { ...before, [name]: value }
}

/** Returns the settings of the environment. Throws `OperatorError` with every fault. */
function configOf({ env }: Io): Config {
  const result = parseConfig(env, loadDevelopmentKeys('./data'))
  if (!result.ok) throw new OperatorError(describeFaults(result.faults))
  return result.config
}

async function migrated(config: Config): Promise<Report> {
  const [{ openDatabase }, { createLogger }] = await Promise.all([
    import('../store/open-database.ts'),
    import('../observability/logger.ts'),
  ])
  const logger = createLogger({ level: config.logLevel })
  try {
    const database = await openDatabase(config, {
      clock: () => new Date(),
      logger,
      observer: { committed() {}, failed() {} },
    })
    await database.close()
    const data = { kind: config.database.kind, version: database.version }
    return { data, text: `The database is of this version (${data.kind} ${data.version}).` }
  } catch (error) {
    if (error instanceof Error && error.name === 'StoreUnusableError') throw new OperatorError(error.message)
    throw error
  } finally {
    logger.flush()
  }
}

type TokenParts = { readonly scopes: Scope[]; readonly subject: string | null; readonly ttlSeconds: number }

async function tokenOf({ clients }: Config, parts: TokenParts): Promise<string> {
  if (clients.kind === 'jwks')
    throw new OperatorError('JWT_JWKS_URL is set: tokens come from its issuer, and none can be made here.')
  const { issueDevelopmentToken } = await import('../access/issue-token.ts')
  return issueDevelopmentToken(clients.secrets[0], { ...clients, ...parts })
}

function scopesIn(text: string): Scope[] {
  return text
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => {
      if (isScope(word)) return word
      throw new UsageError(`There is no scope "${word}". Scopes: ${ALL_SCOPES.join(' ')}`)
    })
}

function secondsIn(text: string): number {
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (seconds < 1 || seconds > MAX_TTL_SECONDS)
    throw new InvalidArgumentError(`It must be a whole number of seconds from 1 to ${MAX_TTL_SECONDS}.`)
  return seconds
}

function copied(from: string, to: string, done: string): Report {
  try {
    const events = backUp({ from, to })
    return { data: { events }, text: `${done}, with ${events} events.` }
  } catch (error) {
    if (error instanceof BackupError) throw new OperatorError(error.message)
    throw error
  }
}
