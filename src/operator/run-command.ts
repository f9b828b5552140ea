import type { Writable } from 'node:stream'
import { type Command, type ExportCommand, readCommandLine } from './command-line.ts'
import { listDeliveries, replayDelivery, showDelivery } from './delivery-commands.ts'
import { manifest } from './documents.ts'
import { exportPayments } from './export/export-command.ts'
import { importPayments, reconcile, type Terminal } from './imports/import-commands.ts'
import { createClient, OperatorError, UsageError } from './operator-answers.ts'
import { erasePayer, listErasures, listUnanswered, settle, listKeys } from './record-commands.ts'

/** The output and the exit code of the process: 0 success, 1 refused or failed, 2 wrong usage. */
export type Ending = { readonly code: 0 | 1 | 2; readonly out: string; readonly err: string }

const DEFAULT_URL = 'http://127.0.0.1:4000/graphql'

type Environment = Readonly<Record<string, string | undefined>>

/** Where a command writes while it runs. */
export type Streams = {
  /** For files. */
  readonly output: Writable
  /** For the progress, which is shown on a terminal only. */
  readonly terminal: Terminal
}

/**
 * Runs one command against a running subgraph, with the token in `SUBGRAPH_TOKEN`. A file is written to `output` while it is read, and is not
 * part of the ending.
 */
export async function run(args: readonly string[], env: Environment, { output, terminal }: Streams): Promise<Ending> {
  try {
    const { command, url } = readCommandLine(args)
    if (command.kind === 'export') {
      await exportPayments(clientOf({ url, env }), command, output)
      return { code: 0, out: '', err: '' }
    }
    return { code: 0, out: `${await textOf(command, { url, env, terminal })}\n`, err: '' }
  } catch (error) {
    if (error instanceof UsageError) return { code: 2, out: '', err: `${error.message}\n\n${USAGE}` }
    if (error instanceof OperatorError) return { code: 1, out: '', err: `${error.message}\n` }
    throw error
  }
}

type Target = { readonly url: string | null; readonly env: Environment }

type Waiting = Target & { readonly terminal: Terminal }

async function textOf(command: Exclude<Command, ExportCommand>, { terminal, ...target }: Waiting): Promise<string> {
  if (command.kind === 'help') return USAGE.trimEnd()
  if (command.kind === 'documents') return JSON.stringify(manifest(), null, 2)
  const ask = clientOf(target)
  switch (command.kind) {
    case 'deliveries':
      return listDeliveries(ask, command)
    case 'delivery':
      return showDelivery(ask, command)
    case 'replay':
      return replayDelivery(ask, command)
    case 'erase-payer':
      return erasePayer(ask, command)
    case 'keys':
      return listKeys(ask, command)
    case 'import':
      return importPayments(ask, command, terminal)
    case 'unanswered':
      return listUnanswered(ask, command)
    case 'settle':
      return settle(ask, command)
    case 'reconcile':
      return reconcile(ask, command, terminal)
    default:
      return listErasures(ask, command)
  }
}

function clientOf({ url, env }: Target) {
  const address = URL.parse(url ?? env['SUBGRAPH_URL'] ?? DEFAULT_URL)
  if (address === null || !/^https?:$/.test(address.protocol))
    throw new UsageError('The address of the subgraph must be an http or https URL.')
  if (address.username !== '' || address.password !== '')
    throw new UsageError('The address of the subgraph must contain no credentials: the token goes into SUBGRAPH_TOKEN.')
  const token = env['SUBGRAPH_TOKEN']?.trim() ?? ''
  // Checked here, because the error for an invalid header value repeats the value.
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new UsageError('SUBGRAPH_TOKEN must contain a client token, with the scope payments:read at least.')
  return createClient({ url: address.href, token })
}

/** What the command line shows with --help, and with a wrong usage. */
const USAGE = `Usage: payments-subgraph-operator <command> [--url <address>]

  deliveries             quarantined and doubtful deliveries, newest first
    --quarantined        only unusable ones
    --doubtful           only those that contradict the state
    --all                every delivery
    --subject <id>       only about this payment, agreement or payout
    --limit <n>          maximum number, 1 to 1000; default 50
  delivery <id>          one delivery, its body and its subject
  replay <id>            dry run of a replay: shows what would change
    --apply              replay it
  erase-payer            erase payers permanently; one of:
    --payment <id>       the payer of this payment
    --link <id>          those of the payments through this link
    --agreement <id>     the debited payer of this agreement
    --payout <id>        the payees of this payout, if it was created here
    --owner <owner>      those of this owner's links, payins and agreements; payouts have no
                         owner, and are erased by their ids
    --email <address>    those with this e-mail address
  erasures               past erasures, newest first
    --limit <n>          maximum number, 1 to 1000; default 50
  keys                   the signing keys, what depends on each, and which can be removed
  export                 payments as a file on the standard output, with totals by day, currency and method
    --format <format>    csv (default) or ndjson
    --from <instant>     last changed at this instant or later, such as 2026-11-01T00:00:00Z
    --before <instant>   last changed before this instant
    --phase <phase>      only of this phase, such as SUCCEEDED; may be repeated
    --reference <text>   only with this reference
  import                 compare the payments API's lists of an interval with the record, and record what is missing
    --from <instant>     created at this instant or later, such as 2026-11-01T00:00:00Z
    --to <instant>       created until this instant; default: now
    --dry-run            only compare
    --site <id>          only the lists of this site; may be repeated
    --id <id>            instead of an interval: wait for a running import
  reconcile              totals of a day: the payments API's, the record's and the difference
    --day <day>          such as 2026-11-24, in UTC; default: yesterday, an hour after its end
  unanswered             unanswered requests for gateway payments, oldest first
    --limit <n>          maximum number, 1 to 100; default: 50
  settle <operation>     record what the payments API's dashboard shows, with one of:
    --created <id>       the operation created the gateway payment with this id
    --not-created        it created none: its idempotency key may be used again
  documents              prints the documents of these commands, for TRUSTED_DOCUMENTS

  --json                 prints JSON (every command except export and documents)
  --url <address>        the subgraph's GraphQL address; default: SUBGRAPH_URL, or http://127.0.0.1:4000/graphql

The token is read from SUBGRAPH_TOKEN alone. It needs the scope payments:read, payments:risk for bodies,
agreements:read for agreements, and webhooks:replay to replay. Erasures need payments:erase alone,
import and reconcile payments:reconcile alone, settle payments:read and payments:reconcile.
Exit codes: 0 done, 1 refused or failed, 2 wrong usage.
`
