import type { Plant } from './plants.ts'

const COMMAND = 'src/commands/payments-export.ts'
const ROUTE = 'src/http/exports/export-route.ts'
const FORMAT = 'src/domain/exports/export-format.ts'
const RESOLVER = 'src/graphql/resolvers/operations.ts'

const HTTP_TEST = ['test/e2e/payments-export-http.test.ts']
const STREAMS_TEST = ['test/long/payments-export-streams.test.ts']

/** Mutations of the export of payments: who gets a file, how often, and what is in it. */
export const EXPORT_PLANTS: readonly Plant[] = [
  {
    name: 'an export is sent as often as its address is used',
    edits: [{ file: COMMAND, from: 'if (!fresh) return null', to: '' }],
    tests: HTTP_TEST,
  },
  {
    name: 'an export begins after its time',
    edits: [{ file: COMMAND, from: 'grant.expiresAt <= clock().getTime()', to: 'grant.expiresAt <= 0' }],
    tests: HTTP_TEST,
  },
  {
    name: 'an export outlives the right of its caller',
    edits: [
      {
        file: COMMAND,
        from: 'Math.min(clock().getTime() + EXPORT_MS, rightEndsAt)',
        to: 'clock().getTime() + EXPORT_MS',
      },
    ],
    tests: HTTP_TEST,
  },
  {
    name: 'an export shows payers to whoever asks for them',
    edits: [{ file: RESOLVER, from: "'shown' : 'masked'", to: "'shown' : 'shown'" }],
    tests: HTTP_TEST,
  },
  {
    name: 'an export has formulas',
    edits: [{ file: FORMAT, from: '? text : inert(text)', to: '? text : text' }],
    tests: ['test/unit/domain/exports/export-format.test.ts'],
  },
  {
    name: 'an export keeps its place after its client has gone',
    edits: [{ file: ROUTE, from: "      downloads.release('')\n      callers", to: '      callers' }],
    tests: STREAMS_TEST,
  },
  {
    name: 'an export is read before its client takes it',
    edits: [
      {
        file: ROUTE,
        from: 'Readable.from(parts, { objectMode: false })',
        to: 'Readable.from(parts, { objectMode: false, highWaterMark: 2 ** 30 })',
      },
    ],
    tests: STREAMS_TEST,
  },
]
