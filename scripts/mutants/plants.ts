import { EXPORT_PLANTS } from './export-plants.ts'
import { REFUND_PLANTS } from './refund-plants.ts'

/** A mutation: texts of the source and their replacements, and the tests that must detect it. */
export type Plant = {
  readonly name: string
  readonly edits: readonly { readonly file: string; readonly from: string; readonly to: string }[]
  readonly tests: readonly string[]
}

export const PLANTS: readonly Plant[] = [
  {
    name: 'commits are not synced: they outlive a crash, but not a power cut',
    edits: [
      {
        file: 'src/store/sqlite/fsync-guard.ts',
        from: 'unsynced = syncLog()',
        to: 'unsynced = Promise.resolve()',
      },
    ],
    tests: ['test/faults/power-cut.test.ts'],
  },
  {
    name: 'a webhook is answered before the sync of its commit',
    edits: [
      { file: 'src/store/sqlite/fsync-guard.ts', from: 'await unsynced\n          unsynced = null', to: '' },
      {
        file: 'src/store/sqlite/fsync-guard.ts',
        from: 'unsynced = syncLog()',
        to: 'unsynced = syncLog()\n          unsynced.catch(() => {})',
      },
    ],
    tests: ['test/faults/power-sync-pending.test.ts'],
  },
  {
    name: 'a query shows what is not on the disk yet',
    edits: [
      {
        file: 'src/store/sqlite/sqlite-dialect.ts',
        from: 'if (sync !== null) await sync',
        to: 'sync?.catch(() => {})',
      },
    ],
    tests: ['test/faults/power-sync-pending.test.ts'],
  },
  {
    name: 'a webhook is answered before its commit',
    edits: [
      {
        file: 'src/store/group-commit.ts',
        from: '    await steps.commit()\n',
        to: '    for (const [index, job] of jobs.entries()) settle(job, end.outcomes[index])\n    await steps.commit()\n',
      },
    ],
    tests: ['test/store/sqlite/group-commit.test.ts', 'test/faults/power-sync-failure.test.ts'],
  },
  {
    name: 'the rows of a commit that is refused are taken for those of the database',
    edits: [
      {
        file: 'src/store/group-commit.ts',
        from: '    await steps.commit()\n    end.remember()\n',
        to: '    end.remember()\n    await steps.commit()\n',
      },
    ],
    tests: ['test/store/sqlite/recent-rows.test.ts'],
  },
  {
    name: 'a decision finds a payer as before the erasure',
    edits: [{ file: 'src/store/committed-rows.ts', from: ', ...recent.values()]', to: ']' }],
    tests: ['test/store/sqlite/recent-rows.test.ts'],
  },
  {
    name: 'a decision does not see the rows that those before it in its batch have made',
    edits: [
      {
        file: 'src/store/rows/table.ts',
        from: 'others === undefined ? ids : new Set([...ids, ...others])',
        to: 'ids',
      },
    ],
    tests: ['test/store/sqlite/group-commit.test.ts', 'test/store/contract/sqlite.test.ts'],
  },
  {
    name: 'a webhook that the database refuses takes its batch with it',
    edits: [
      {
        file: 'src/store/group-commit.ts',
        from: 'else if (end.byStatement && jobs.length > 1)',
        to: 'else if (end.byStatement && jobs.length > MAX_BATCH)',
      },
    ],
    tests: ['test/store/sqlite/group-commit.test.ts', 'test/store/postgres/postgres-failures.test.ts'],
  },
  {
    name: 'a decision that throws leaves behind what it has changed',
    edits: [
      {
        file: 'src/store/group-commit.ts',
        from: "if (isComplete && outcome !== null && 'result' in outcome) keep()",
        to: 'if (isComplete && outcome !== null) keep()',
      },
    ],
    tests: ['test/store/sqlite/group-commit.test.ts', 'test/store/contract/sqlite.test.ts'],
  },
  {
    name: 'repeats are recognised by the uuid of the payment',
    edits: [
      {
        file: 'src/keys/key-ring.ts',
        from: '.update(body)',
        to: String.raw`.update(/"uuid"\s*:\s*"([^"]*)"/.exec(Buffer.from(body).toString())?.[1] ?? body)`,
      },
    ],
    tests: ['test/e2e/order.test.ts', 'test/e2e/main-path.test.ts'],
  },
  {
    name: 'order goes by rank alone, and nothing is read back',
    edits: [
      {
        file: 'src/domain/payments/payment.ts',
        from: 'if (!leadsForward) return DOUBTFUL',
        to: 'if (!leadsForward) return STALE',
      },
      {
        file: 'src/domain/payments/payment.ts',
        from: 'return status === null || CONFIRMED_BY_READ.has(status)',
        to: 'return status === null && CONFIRMED_BY_READ.size === 0',
      },
    ],
    tests: [
      'test/faults/ordering/every-order.test.ts',
      'test/e2e/order.test.ts',
      'test/unit/domain/payments/payment-dispositions.test.ts',
    ],
  },
  {
    name: 'a POST without an answer is sent again',
    edits: [
      {
        file: 'src/upstream/resilience/resilience-policy.ts',
        from: "return method === 'GET' && PASSING.has(fault.reason)",
        to: 'return PASSING.has(fault.reason)',
      },
    ],
    tests: ['test/e2e/upstream/faults.test.ts', 'test/e2e/command-faults.test.ts'],
  },
  {
    name: 'what replay has shown comes again when the stream is live',
    edits: [
      {
        file: 'src/streams/follow.ts',
        from: "this.#give({ kind: 'CAUGHT_UP', position: this.#position, previous: this.#previous })\n",
        to: "this.#give({ kind: 'CAUGHT_UP', position: this.#position, previous: this.#previous })\n    this.#position = Math.max(this.#position - 1, 0)\n",
      },
    ],
    tests: ['test/store/streams/follow.test.ts', 'test/long/streams-reconnect.test.ts'],
  },
  {
    name: 'the cache policy walks a fragment anew for each spread',
    edits: [
      {
        file: 'src/graphql/engine/cache-policy.ts',
        from: 'keyOf: ({ isRoot }) => String(isRoot),',
        to: 'keyOf: () => String(Math.random()),',
      },
    ],
    tests: ['test/attacks/fragment-graphs.test.ts'],
  },
  {
    name: 'suggestions are taken out of messages by a quadratic pattern',
    edits: [
      {
        file: 'src/graphql/error-formatter.ts',
        from: "  const at = message.endsWith('?') ? message.indexOf(SUGGESTION) : -1\n  return at === -1 ? message : message.slice(0, at).trimEnd()\n",
        to: "  return message.replace(/ ?Did you mean [^]*\\?$/, '')\n",
      },
    ],
    tests: ['test/attacks/regular-expressions.test.ts'],
  },
  {
    name: 'a request takes its slot before its body is here',
    edits: [
      {
        file: 'src/http/graphql/graphql-entrance.ts',
        from: '      admit()\n    }\n',
        to: '      traced(() => begin(route, exchange))\n    }\n',
      },
      {
        file: 'src/http/graphql/graphql-entrance.ts',
        from: '    readBody(request, { bytes: maxBytes, milliseconds: null }, announced).then(onBody).catch(failWith(exchange))\n',
        to: '    protection.admit(\n      exchange,\n      () => void readBody(request, { bytes: maxBytes, milliseconds: null }, announced).then(onBody),\n    )\n',
      },
    ],
    tests: ['test/e2e/http/connections/unfinished-bodies.test.ts', 'test/e2e/http/overload.test.ts'],
  },
  {
    name: 'a request keeps its slot until its answer is read',
    edits: [
      {
        file: 'src/http/graphql/graphql-entrance.ts',
        from: '    exchange.turn?.end()\n    http.send(',
        to: "    exchange.response.once('close', () => exchange.turn?.end())\n    http.send(",
      },
    ],
    tests: ['test/long/http-load.test.ts'],
  },
  {
    name: 'an answer to the router is recalled for anybody',
    edits: [
      {
        file: 'src/graphql/engine/engine.ts',
        from: 'return fromRouter ? `router ${text}` : text',
        to: 'return fromRouter ? text : text',
      },
    ],
    tests: ['test/e2e/recalled-answers.test.ts', 'test/store/graphql/public-answers.test.ts'],
  },
  {
    name: 'an answer is recalled after its list has changed',
    edits: [
      {
        file: 'src/graphql/engine/cache-policy.ts',
        from: ' || found.version !== version()) return null',
        to: ') return null',
      },
    ],
    tests: ['test/e2e/recalled-answers.test.ts', 'test/store/graphql/public-answers.test.ts'],
  },
  {
    name: 'an answer is recalled whatever a token says',
    edits: [
      {
        file: 'src/http/graphql/graphql-route.ts',
        from: 'if (callerOf(exchange) instanceof Promise || responseType',
        to: 'if (responseType',
      },
    ],
    tests: ['test/e2e/recalled-answers.test.ts'],
  },
  {
    name: 'the planned executor leaves null where none is allowed',
    edits: [
      {
        file: 'packages/graphql-plan/src/run-plan.ts',
        from: '  if (nonNull) throw error\n',
        to: "  if (nonNull && field.coordinate === '') throw error\n",
      },
    ],
    tests: ['packages/graphql-plan/test/executor.test.ts'],
  },
  {
    name: 'streams share answers whatever the scopes of their callers are',
    edits: [
      {
        file: 'src/graphql/engine/fan-out.ts',
        from: "'client'} ${scopes.join(' ')}`",
        to: "'client'} ${scopes.slice(0, 0).join(' ')}`",
      },
    ],
    tests: ['test/store/graphql/fan-out-random.test.ts'],
  },
  {
    name: 'a refund that was made elsewhere before is taken for the one of a command',
    edits: [
      {
        file: 'src/domain/payments/payment-report.ts',
        from: 'refund.commandId === null && refund.since > subjectVersion && fits',
        to: 'refund.commandId === null && fits',
      },
    ],
    tests: ['test/unit/domain/payments/refund.test.ts'],
  },
  {
    name: 'an erasure leaves the reasons of refunds',
    edits: [
      {
        file: 'src/store/retention/erasure-queries.ts',
        from: ".set({ reason: null }).where('payment_id', 'in', ids)",
        to: ".set({ reason: null }).where('payment_id', 'in', [''])",
      },
    ],
    tests: ['test/store/contract/sqlite.test.ts'],
  },
  ...EXPORT_PLANTS,
  ...REFUND_PLANTS,
]
