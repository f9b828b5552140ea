import type { Writable } from 'node:stream'
import { type Command, type ExportCommand, readCommandLine } from './command-line.ts'
import { manifest } from './documents.ts'
import { erasePayer, listErasures } from './erasure-commands.ts'
import { exportPayments } from './export/export-command.ts'
import { listUnanswered, settle } from './gateway-commands.ts'
import { createClient } from './graph-client.ts'
import { importPayments, reconcile, type Terminal } from './imports/import-commands.ts'
import { listKeys } from './key-commands.ts'
import { OperatorError, UsageError } from './operator-answers.ts'
import { listDeliveries, replayDelivery, showDelivery } from './operator-commands.ts'
import { USAGE } from './usage.ts'

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
    throw new UsageError('The address of the subgraph must hold no credentials: the token goes into SUBGRAPH_TOKEN.')
  const token = env['SUBGRAPH_TOKEN']?.trim() ?? ''
  // Checked here, because the error for an invalid header value repeats the value.
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new UsageError('SUBGRAPH_TOKEN must hold a client token, with the scope payments:read at least.')
  return createClient({ url: address.href, token })
}
