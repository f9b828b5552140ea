import type { Writable } from 'node:stream'
import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import {
  DELIVERY_KINDS,
  cancelReplay,
  type DeliveryFilter,
  listDeliveries,
  replayDeliveries,
  showDelivery,
} from './delivery-commands.ts'
import { manifest } from './documents.ts'
import { exportPayments } from './export/export-command.ts'
import { cancelImport, importPayments, reconcile, type Terminal, watchImport } from './imports/import-commands.ts'
import { listen } from './listen.ts'
import { type Ask, createClient, type Graph, UsageError } from './operator-answers.ts'
import {
  erasePayer,
  listErasures,
  listKeys,
  listUnanswered,
  newKey,
  rotate,
  ROTATION,
  settle,
} from './record-commands.ts'
import { type Report, reporting, valued } from './report.ts'

/** What a command reads and writes. */
export type Io = {
  readonly env: Readonly<Record<string, string | undefined>>
  /** For files, which are written while they are read. */
  readonly output: Writable
  /** For the progress, which is shown on a terminal only, and for what is shown before something is done. */
  readonly terminal: Terminal
  /** Writes the answer of a command, without its last line break. */
  readonly print: (text: string) => void
}

type Target = { readonly url?: string }

const DEFAULT_URL = 'http://127.0.0.1:4000/graphql'
const MAX_LIMIT = 1000
/** Maximum page size of the graph. */
const MAX_PAGE = 100
const TOKEN_HELP = `
The token is read from SUBGRAPH_TOKEN alone, and the address of the graph from --url or SUBGRAPH_URL.`

/** Adds the commands that ask a running subgraph. */
export function addOperatorCommands(program: Command, io: Io): void {
  const asks = (
    command: Command,
    run: (ask: Ask, options: never, args: readonly string[]) => Promise<Report>,
  ): Command =>
    reporting(graph(command), io, (options: Target, args) => run(clientOf(options, io), options as never, args))

  const deliveries = program.command('deliveries').description('webhooks as they were received')
  asks(
    filtered(
      deliveries.command('list', { isDefault: true }).description('quarantined and doubtful deliveries, newest first'),
    ).option('--limit <n>', 'maximum number', limitIn(MAX_LIMIT), 50),
    (ask, options: DeliveryFilter & { limit: number }) => listDeliveries(ask, options),
  )
  asks(
    deliveries.command('show').description('one delivery, its body and its subject').argument('<id>', 'of a delivery'),
    (ask, _options, [id = '']) => showDelivery(ask, id),
  )
  asks(
    filtered(deliveries.command('replay').description('replay deliveries; without --yes, show what would change'))
      .argument('[id...]', 'of deliveries, in place of a filter')
      .option('--yes', 'replay them; those of a filter in the background', false),
    (ask, options: DeliveryFilter & { yes: boolean }, ids) => replayDeliveries(ask, { ...options, ids }, io.terminal),
  )
  asks(
    deliveries
      .command('cancel')
      .description('end a running replay; what it has replayed stays')
      .argument('<id>', 'of the replay'),
    (ask, _options, [id = '']) => cancelReplay(ask, { id }),
  )

  const keys = program.command('keys').description('signing keys')
  asks(
    keys
      .command('report', { isDefault: true })
      .description('the signing keys, what depends on each, and which can be removed'),
    listKeys,
  )
  reporting(keys.command('generate').description('a new key'), io, () => valued({ key: newKey() }))
  const rotation = graph(keys.command('rotate').description('the value of a setting after the next step of a rotation'))
    .addArgument(
      new Argument('<step>', 'a new key at the end, the last one to the front, or the first alone').choices(ROTATION),
    )
    .addOption(
      new Option('--setting <name>', 'whose value is read from the environment')
        .choices(['SIGNING_KEYS', 'CALLBACK_KEYS'])
        .default('SIGNING_KEYS'),
    )
  reporting(rotation, io, async (options: Target & { setting: string }, [step]) => {
    const { setting } = options
    const keysNow = io.env[setting]?.split(',') ?? []
    if (keysNow.length === 0) throw new UsageError(`${setting} is not set: the rotation begins with its value.`)
    const parts = { step: step as (typeof ROTATION)[number], setting, keys: keysNow }
    return valued({ value: await rotate(() => clientOf(options, io), parts) })
  })
  asks(
    program
      .command('erase')
      .description('erase payers for ever; without --yes, show how much; name exactly one')
      .option('--payment <id>', 'the payer of this payment')
      .option('--link <id>', 'those of the payments through this link')
      .option('--agreement <id>', 'the debited payer of this agreement')
      .option('--payout <id>', 'the payees of this payout, if it was created here')
      .option('--owner <owner>', "those of this owner's links, payins and agreements; payouts have no owner")
      .option('--email <address>', 'those with this e-mail address')
      .option('--yes', 'erase them, after the count was shown: it cannot be undone', false),
    (ask, options: Parameters<typeof erasePayer>[1]) => erasePayer(ask, options, io.terminal),
  )
  asks(
    program
      .command('erasures')
      .description('past erasures, newest first')
      .option('--limit <n>', 'maximum number', limitIn(MAX_LIMIT), 50),
    listErasures,
  )
  graph(
    program
      .command('export')
      .description('payments as a file on the standard output, with totals by day, currency and method'),
  )
    .option('--format <format>', 'csv or ndjson', formatIn, 'csv' as const)
    .option('--from <instant>', 'last changed at this instant or later, such as 2026-11-01T00:00:00Z', instantIn)
    .option('--before <instant>', 'last changed before this instant', instantIn)
    .option('--phase <phase>', 'only of this phase, such as SUCCEEDED; may be repeated', listed, [])
    .option('--reference <text>', 'only with this reference')
    .action(async (options: Parameters<typeof exportPayments>[1] & Target) =>
      exportPayments(clientOf(options, io), options, io.output),
    )

  const imports = program
    .command('import')
    .description("compare the payments API's lists of an interval with the record, and record what is missing")
  asks(
    imports
      .command('start', { isDefault: true })
      .description('compare; with --yes, also record what is missing')
      .requiredOption('--from <instant>', 'created at this instant or later, such as 2026-11-01T00:00:00Z', instantIn)
      .option('--to <instant>', 'created until this instant; default: now', instantIn)
      .option('--site <id>', 'only the lists of this site; may be repeated', listed, [])
      .option('--yes', 'record what is missing, after the count was shown', false),
    (ask, options: { from: Date; to?: Date; site: string[]; yes: boolean }) =>
      importPayments(ask, options, io.terminal),
  )
  asks(
    imports.command('watch').description('wait for a running import').argument('<id>', 'of the import'),
    (ask, _options, [id = '']) => watchImport(ask, { id }, io.terminal),
  )
  asks(
    imports
      .command('cancel')
      .description('end a running import; what it has recorded stays')
      .argument('<id>', 'of the import'),
    (ask, _options, [id = '']) => cancelImport(ask, { id }),
  )
  asks(
    program
      .command('reconcile')
      .description("totals of a day: the payments API's, the record's and the difference")
      .option('--day <day>', 'such as 2026-11-24, in UTC; default: yesterday, an hour after its end', dayIn),
    (ask, options: { day?: string }) => reconcile(ask, options, io.terminal),
  )
  asks(
    program
      .command('unanswered')
      .description('unanswered requests for gateway payments, oldest first')
      .option('--limit <n>', 'maximum number', limitIn(MAX_PAGE), 50),
    listUnanswered,
  )
  asks(
    program
      .command('settle')
      .description("record what the payments API's dashboard shows of an unanswered request")
      .argument('<operation>', 'id of the operation')
      .option('--created <id>', 'the operation created the gateway payment with this id')
      .option('--not-created', 'it created none: its idempotency key may be used again', false),
    (ask, options: { created?: string; notCreated: boolean }, [id = '']) => settle(ask, { ...options, id }),
  )
  graph(
    program
      .command('listen')
      .description('forward webhooks to another subgraph as they arrive at this one, until it is ended'),
  )
    .requiredOption('--forward-to <address>', 'of the other subgraph, such as http://127.0.0.1:4000', originIn)
    .option('--json', 'print JSON, one line for each', false)
    .action(async (options: { forwardTo: string; json: boolean } & Target) => listen(graphOf(options, io), options, io))
  program
    .command('documents')
    .description('the documents of these commands, for TRUSTED_DOCUMENTS')
    .action(() => io.print(JSON.stringify(manifest(), null, 2)))
}

function graph(command: Command): Command {
  return command
    .option('--url <address>', `the subgraph's GraphQL address; default: SUBGRAPH_URL, or ${DEFAULT_URL}`)
    .addHelpText('after', TOKEN_HELP)
}

function filtered(command: Command): Command {
  return command
    .option('--quarantined', 'only unusable ones', false)
    .option('--doubtful', 'only those that contradict the state', false)
    .option('--all', 'every delivery', false)
    .option('--subject <id>', 'only about this payment, agreement or payout')
    .addOption(
      new Option('--kind <kind...>', 'only at the addresses of these kinds').choices(DELIVERY_KINDS).default([], 'all'),
    )
    .option('--from <instant>', 'first received at this instant or later, such as 2026-11-01T00:00:00Z', instantIn)
    .option('--before <instant>', 'first received before this instant', instantIn)
}

function clientOf(target: Target, io: Io): Ask {
  return createClient(graphOf(target, io))
}

/** Returns the graph's address, and the token for it. Throws `UsageError` if one is missing or wrong. */
function graphOf({ url }: Target, { env }: Io): Graph {
  const address = URL.parse(url ?? env['SUBGRAPH_URL'] ?? DEFAULT_URL)
  if (address === null || !/^https?:$/.test(address.protocol))
    throw new UsageError('The address of the subgraph must be an http or https URL.')
  if (address.username !== '' || address.password !== '')
    throw new UsageError('The address of the subgraph must contain no credentials: the token goes into SUBGRAPH_TOKEN.')
  const token = env['SUBGRAPH_TOKEN']?.trim() ?? ''
  // Checked here, because the error for an invalid header value repeats the value.
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new UsageError('SUBGRAPH_TOKEN must contain a client token, with the scope payments:read at least.')
  return { url: address.href, token }
}

function listed(value: string, before: readonly string[]): readonly string[] {
  return [...before, value]
}

function formatIn(text: string): 'csv' | 'ndjson' {
  if (text === 'csv' || text === 'ndjson') return text
  throw new InvalidArgumentError('It must be csv or ndjson.')
}

function originIn(text: string): string {
  const { protocol, origin = '', href } = URL.parse(text) ?? {}
  if (href === `${origin}/` && /^https?:$/.test(protocol ?? '')) return origin
  throw new InvalidArgumentError('It must be an http or https URL without a path.')
}

function dayIn(text: string): string {
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(text) : null
  // A day that the month does not have is read as one of the next month.
  if (day === null || Number.isNaN(day.getTime()) || !day.toISOString().startsWith(text))
    throw new InvalidArgumentError('It must be a day such as 2026-11-24.')
  return text
}

/** Takes an instant with its offset only: without one it would be another instant in each time zone. */
function instantIn(text: string): Date {
  const instant = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(text) ? new Date(text) : null
  if (instant === null || Number.isNaN(instant.getTime()))
    throw new InvalidArgumentError('It must be an instant such as 2026-11-01T00:00:00Z.')
  return instant
}

function limitIn(most: number): (text: string) => number {
  return (text) => {
    const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0
    if (limit < 1 || limit > most) throw new InvalidArgumentError(`It must be a whole number from 1 to ${most}.`)
    return limit
  }
}
