import {
  type Arrow,
  arrowsBack,
  arrowsOf,
  circlesOf,
  partOf,
  roomOf,
  type SourceFiles,
  specifiersIn,
  withoutComments,
} from './imports.ts'

/** The parts of `src` from top to bottom: a part may import parts of its own level and below, never above. */
const LEVELS: readonly (readonly string[])[] = [
  ['cli'],
  ['main', 'sandbox', 'demo', 'trigger'],
  ['run-server', 'index'],
  ['doctor'],
  ['app'],
  ['http'],
  ['graphql'],
  ['commands', 'ledger', 'lookups', 'streams', 'reconciliation', 'retention', 'upstream', 'access', 'webhooks'],
  ['store'],
  ['redis'],
  ['domain', 'keys', 'config', 'observability'],
  ['lib'],
]

/** Parts outside of these levels. */
const NEIGHBOURS = new Set(['operator'])

/** The folders of `http` from bottom to top. */
const HTTP_ROOMS: readonly (readonly string[])[] = [
  ['limits'],
  ['connections'],
  ['server'],
  ['protection'],
  ['graphql'],
  ['streams', 'websocket', 'webhooks', 'uploads', 'exports', 'pages', 'admin'],
]

const PICTURE = LEVELS.map((parts) => parts.join(', ')).join(' → ')

const LEDGER_USES = /^src\/(ledger|domain|lib|store\/(rows\/|(port|command-store|store-errors)\.ts))/
const DATABASES = /^src\/store\/(sqlite|postgres)\//
const DATABASE_USERS = [
  'src/cli/local-commands.ts',
  'src/doctor/checks.ts',
  'src/run-server.ts',
  'src/streams/open-wake-ups.ts',
]
const DECISIONS =
  /^src\/domain\/(payments\/(attribution|orphan-link|listed-payment)|agreements\/agreement-creation)\.ts$/
const LEDGER_TYPE = 'src/ledger/store.ts'
const WEBHOOK_USES = /^src\/(webhooks|ledger\/store\.ts|domain|store|upstream\/wire|keys|observability|lib)\b/
/** What a file of payments is like, whoever writes it. */
const OPERATOR_USES = ['src/domain/exports/']
const OPERATOR_USERS = ['src/cli/command-line.ts', 'src/cli/local-commands.ts']
const PROCESS_OWNERS = [
  'src/main.ts',
  'src/cli.ts',
  'src/run-server.ts',
  'src/cli/local-commands.ts',
  'src/demo.ts',
  'src/doctor/open-files.ts',
  'packages/sandbox/src/main.ts',
]

/** Read-only facts about the process, which every part may use. */
const PROCESS_FACTS =
  'arch|cpuUsage|hrtime|memoryUsage|pid|platform|resourceUsage|threadCpuUsage|uptime|version|versions'
const PROCESS_USE = new RegExp(String.raw`\bprocess\s*(?:\?\.|\.|\[)\s*(?!(?:${PROCESS_FACTS})\b)['"\w]`)

type Package = {
  readonly room: string
  /** The packages that it imports. */
  readonly uses: readonly string[]
  /** The parts of `src` that import it. */
  readonly users: readonly string[]
}

/** The packages and examples of this repository, by name. */
const PACKAGES: Readonly<Record<string, Package>> = {
  // React is optional: only the hooks, which are a path of their own, import it.
  'payments-subgraph-client': { room: 'packages/client/src', uses: ['react'], users: ['operator'] },
  'graphql-sockets': {
    room: 'packages/graphql-sockets/src',
    uses: ['graphql', 'graphql-ws', 'node:buffer', 'node:http', 'node:stream', 'ws'],
    users: ['http'],
  },
  'payments-subgraph-lib': {
    room: 'packages/lib/src',
    uses: ['node:fs', 'node:http', 'node:path', 'qrcode-generator'],
    users: LEVELS.flat().filter((part) => part !== 'keys'),
  },
  'payments-subgraph-sandbox': {
    room: 'packages/sandbox/src',
    uses: 'node:crypto node:dns node:events node:fs node:http node:net node:path node:sqlite node:timers node:url node:util'
      .split(' ')
      .concat('@fastify/busboy', 'find-my-way', 'payments-subgraph-lib', 'sirv', 'undici', 'yaml', 'zod'),
    users: ['run-server', 'sandbox', 'demo', 'trigger'],
  },
  'payments-subgraph-pages': {
    room: 'packages/pages/src',
    uses: [
      '@graphiql/plugin-doc-explorer',
      '@graphiql/react',
      '@graphiql/toolkit',
      '@graphql-typed-document-node/core',
      '@urql/preact',
      'graphiql',
      'graphql',
      'graphql-ws',
      'payments-subgraph-client',
      'payments-subgraph-lib',
      'preact',
      'react',
      'react-dom',
    ],
    users: [],
  },
  'payments-subgraph-shop': {
    room: 'examples/shop',
    uses: [
      '@graphql-typed-document-node/core',
      'node:http',
      'payments-subgraph-client',
      'payments-subgraph-pages',
      'preact',
      'qrcode-generator',
      'undici',
      'zod',
    ],
    users: [],
  },
  'graphql-plan': { room: 'packages/graphql-plan/src', uses: ['graphql'], users: ['graphql'] },
}

type Rule = { readonly reason: string; readonly forbids: (arrow: Arrow) => boolean }

const RULES: readonly Rule[] = [
  {
    reason:
      'src, each package and each example stand without tests, scripts and settings, and know each other by name alone',
    forbids: ({ from, to }) => roomOf(from) !== roomOf(to),
  },
  { reason: 'lib knows nothing of payments and imports nothing of ours', forbids: leaves('lib') },
  { reason: 'the domain is pure and imports lib alone', forbids: leavesFor('domain', ['lib']) },
  { reason: 'keys import nothing of ours', forbids: leaves('keys') },
  { reason: `arrows lead down: ${PICTURE}`, forbids: leadsUp },
  {
    reason: 'the payments API and the store do not know each other',
    forbids: ({ from, to }) => [partOf(from), partOf(to)].toSorted().join() === 'store,upstream',
  },
  {
    reason: `the ledger is put on a database by the app alone; others know its type, ${LEDGER_TYPE}`,
    forbids: (arrow) => enters('ledger')(arrow) && partOf(arrow.from) !== 'app' && arrow.to !== LEDGER_TYPE,
  },
  {
    reason: 'the ledger needs the domain, the port of the store and its rows, and no database',
    forbids: ({ from, to }) => partOf(from) === 'ledger' && !LEDGER_USES.test(to),
  },
  { reason: `the rooms of http stand on each other: ${HTTP_ROOMS.flat().join(' → ')}`, forbids: leadsUpInHttp },
  {
    reason: 'which database it is, the store, wake-ups between nodes and the backup alone know',
    forbids: ({ from, to }) =>
      DATABASES.test(to) && partOf(from) !== 'store' && !DATABASE_USERS.some((user) => from.startsWith(user)),
  },
  {
    reason: 'the store decides nothing: its decisions are the ledger’s',
    forbids: ({ from, to }) => partOf(from) === 'store' && DECISIONS.test(to),
  },
  {
    reason:
      'a webhook needs domain, store, the ledger’s type, upstream/wire, keys, observability and lib, and nothing else',
    forbids: ({ from, to }) => partOf(from) === 'webhooks' && !WEBHOOK_USES.test(to),
  },
  {
    reason: `the operator's command line is a client of the graph and shares only ${OPERATOR_USES.join(' and ')}`,
    forbids: (arrow) => leaves('operator')(arrow) && !OPERATOR_USES.some((use) => arrow.to.startsWith(use)),
  },
  {
    reason: `only ${OPERATOR_USERS.join(' and ')} imports the operator's command line`,
    forbids: (arrow) => enters('operator')(arrow) && !OPERATOR_USERS.includes(arrow.from),
  },
]

/** Returns every violation of the rules in these files, one sentence each. */
export function violations(files: SourceFiles): string[] {
  const arrows = arrowsOf(files)
  return [...files.keys()]
    .filter((path) => roomOf(path) === 'src' && !isInThePicture(path))
    .map((path) => `${path} lies in a part of src that has no level: ${PICTURE}`)
    .concat(
      arrows.flatMap(brokenRules),
      circles(arrows),
      fileCircles(arrows),
      processUses(files),
      decisionsOfTheStore(files),
      packageUses(files),
    )
}

/** Returns one sentence for every import of a package that `PACKAGES` does not allow. */
function packageUses(files: SourceFiles): string[] {
  return [...files].flatMap(([path, text]) => {
    const names = specifiersIn(text)
      .filter((specifier) => !specifier.startsWith('.'))
      .map(packageOf)
    const room = roomOf(path)
    const own = Object.values(PACKAGES).find((one) => one.room === room)
    const isAllowed = (name: string) =>
      room === 'src' ? (PACKAGES[name]?.users.includes(partOf(path)) ?? true) : own?.uses.includes(name) === true
    return names.filter((name) => !isAllowed(name)).map((name) => `${path} must not import ${name}`)
  })
}

/** Returns the name of the package that a specifier leads to: `@apollo/server` of `@apollo/server/errors`. */
function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}

function brokenRules(arrow: Arrow): string[] {
  return RULES.filter(({ forbids }) => forbids(arrow)).map(
    ({ reason }) => `${arrow.from} must not import ${arrow.to}: ${reason}`,
  )
}

/** Calls of the domain's functions that decide. */
const DECIDES = /\b(?:decide(?!All\b|Loaded\b)[A-Z]\w*|evolve\w*|next\w*Poll|plan(?:Anew|Retry|NoLater)|replacePoll)\(/

function decisionsOfTheStore(files: SourceFiles): string[] {
  return [...files]
    .filter(([path, text]) => partOf(path) === 'store' && DECIDES.test(withoutComments(text)))
    .map(([path]) => `${path} must not decide: the ledger does`)
}

function processUses(files: SourceFiles): string[] {
  return [...files]
    .filter(([path, text]) => !PROCESS_OWNERS.includes(path) && touchesProcess(text))
    .map(([path]) => `${path} must not touch the process: only ${PROCESS_OWNERS.join(' and ')} do`)
}

function touchesProcess(text: string): boolean {
  return PROCESS_USE.test(withoutComments(text)) || specifiersIn(text).includes('node:process')
}

/** Returns one sentence for every pair of parts that import each other, directly or through others. */
function circles(arrows: readonly Arrow[]): string[] {
  const uses = new Map<string, Set<string>>()
  for (const { from, to } of arrows) uses.set(partOf(from), (uses.get(partOf(from)) ?? new Set()).add(partOf(to)))
  const parts = [...uses.keys()].toSorted()
  return parts.flatMap((a) =>
    parts
      .filter((b) => a < b && reaches(uses, a, b) && reaches(uses, b, a))
      .map((b) => `src/${a} and src/${b} must not import each other, directly or by way of others`),
  )
}

/** Generated files may stand in a circle: they name the types that they map. */
const GENERATED = /\/generated(?:\/|\.ts$)/

/** Returns one sentence for every circle of files, and for every import between two folders against most others between them. */
function fileCircles(arrows: readonly Arrow[]): string[] {
  const held = arrows.filter(({ from, to }) => !GENERATED.test(from) && !GENERATED.test(to))
  return [
    ...circlesOf(held).map((circle) => `${circle.join(', ')} must not import each other, directly or by way of others`),
    ...arrowsBack(held).map(({ from, to }) => `${from} must not import ${to}: more imports lead the other way`),
  ]
}

function reaches(uses: ReadonlyMap<string, ReadonlySet<string>>, start: string, goal: string): boolean {
  const seen = new Set([start])
  for (const part of seen) for (const next of uses.get(part) ?? []) seen.add(next)
  return seen.has(goal)
}

function leadsUp({ from, to }: Arrow): boolean {
  const [above, below] = [levelOf(to), levelOf(from)]
  return above !== -1 && below !== -1 && above < below
}

function leadsUpInHttp({ from, to }: Arrow): boolean {
  const roomIn = (path: string) => /^src\/http\/(\w+)\//.exec(path)?.[1] ?? ''
  const levelIn = (path: string) => HTTP_ROOMS.findIndex((rooms) => rooms.includes(roomIn(path)))
  if (partOf(from) !== 'http' || partOf(to) !== 'http' || roomIn(from) === '') return false
  return levelIn(from) < levelIn(to) || roomIn(to) === ''
}

function leaves(part: string): (arrow: Arrow) => boolean {
  return ({ from, to }) => partOf(from) === part && partOf(to) !== part
}

function leavesFor(part: string, allowed: readonly string[]): (arrow: Arrow) => boolean {
  return (arrow) => leaves(part)(arrow) && !allowed.includes(partOf(arrow.to))
}

function enters(part: string): (arrow: Arrow) => boolean {
  return ({ from, to }) => partOf(to) === part && partOf(from) !== part
}

function levelOf(path: string): number {
  return LEVELS.findIndex((parts) => parts.includes(partOf(path)))
}

function isInThePicture(path: string): boolean {
  return levelOf(path) !== -1 || NEIGHBOURS.has(partOf(path))
}
