import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findPostgres } from '../support/postgres.ts'
import { driveEverything, type Evidence } from './drive.ts'
import { KEPT } from './kept.ts'
import { onPostgres, SQLITE, type Storage } from './stored.ts'

const server = await findPostgres()
const database = await server?.createDatabase({ migrated: true })
afterAll(() => database?.drop())
const STORAGES: [name: string, storage: Storage][] = [['SQLite', SQLITE]]
if (database !== undefined) STORAGES.push(['PostgreSQL', onPostgres(database)])

/** Callers may receive their own texts in GraphQL's messages, and no other canaries. */
const OWN_WORDS = /^(?:input|query|odd|attempt)\./

// promise(data): A canary in every input, header, secret and response appears in no log, metric or error, and only in
// the columns listed below.
describe.each(STORAGES)(
  'what was put into every field, header, token, secret, callback and answer, on %s',
  (_name, storage) => {
    let evidence: Evidence
    beforeAll(async () => {
      evidence = await driveEverything(storage)
    })

    it('was driven through every way that leads to an answer', () => {
      const { outcomes, callbackStatuses, errors } = evidence
      const failures = [
        'PaymentsUpstreamRejectedError',
        'PaymentsUpstreamUnavailableError',
        'PaymentsCredentialsRejectedError',
        'PaymentsNotFoundError',
      ]
      const more = [
        'PaymentsInvalidInputError',
        'PaymentsOutcomeUnknownError',
        'PaymentsIdempotencyConflictError',
        'PaymentsStateConflictError',
      ]
      const codes = ['UNAUTHENTICATED', 'FORBIDDEN', 'BAD_USER_INPUT', 'INTERNAL_SERVER_ERROR']
      const successes = [
        'CreatePaymentLinkSuccess',
        'CreatePayinSuccess',
        'CreateGatewayPaymentSuccess',
        'PayoutSuccess',
      ]
      const others = ['RefundPaymentSuccess', 'PaymentAgreementSuccess', 'SimulationAccepted', 'PaymentBankLookup']
      const expected = [failures, more, codes, successes, others].flat()
      expect(expected.filter((outcome) => !outcomes.has(outcome))).toEqual([])
      expect(callbackStatuses).toEqual(new Set([200, 400, 401]))
      for (const text of ['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED', '4403', '4400', '4401', 'HTTP/1.1 400'])
        expect(errors).toContain(text)
    })

    it('stands in no line of the log', () => {
      const { canaries, log } = evidence
      expect(canaries.foundIn(log)).toEqual([])
      for (const message of ['webhook stored', 'callback stored', 'command failed', 'a resolver failed'])
        expect(log).toContain(`"msg":"${message}"`)
    })

    it('stands in no figure', () => {
      const { canaries, metrics } = evidence
      expect(canaries.foundIn(metrics)).toEqual([])
      expect(metrics).toContain('payments_')
    })

    it('stands in no error, refusal or header, beside what the caller has said in the same breath', () => {
      const { canaries, errors } = evidence
      const found = canaries.foundIn(errors)
      expect(found.filter((place) => !OWN_WORDS.test(place))).toEqual([])
      expect(
        found.filter((place) => /^attempt\..*(?:token|credentials|signature|authorization|cookie)/.test(place)),
      ).toEqual([])
      expect(found.length).toBeGreaterThan(0)
    })

    it('stands in no column of the database but those that are made for it', () => {
      const strays = [...evidence.columns].flatMap(([column, places]) =>
        places.filter((place) => KEPT[column]?.places.test(place) !== true).map((place) => `${column} holds ${place}`),
      )
      expect(strays).toEqual([])
      expect([...evidence.columns.keys()].toSorted()).toEqual(Object.keys(KEPT).toSorted())
    })

    it('stands nowhere else in its files: not in pages that are free again, not in a write-ahead log beside them', () => {
      const { canaries, bytes } = evidence
      const patterns = Object.values(KEPT).map(({ places }) => places)
      const found = canaries.foundIn(bytes)
      expect(found.filter((place) => !patterns.some((pattern) => pattern.test(place)))).toEqual([])
      expect(found).toContain('answer.email')
    })
  },
)
