/**
 * Bundles the client kit as an app would, whole and in parts, and prints the size of each part, minified and gzipped. Fails
 * when a part is over its budget or includes a module that an app does not need.
 */
import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, type Rolldown } from 'vite'

const KIT = resolve('packages/client/src')
const ENTRY = 'part-of-the-kit'
const KIB = 1024

type Part = { readonly name: string; readonly exports: string; readonly module?: string; readonly budgetKib: number }

/** Imports that an app may use, and their size budgets in KiB. */
const PARTS: readonly Part[] = [
  { name: 'everything', exports: '*', budgetKib: 12 },
  { name: 'paymentLinkStore', exports: '{ paymentLinkStore }', budgetKib: 8.7 },
  { name: 'watchPaymentLink', exports: '{ watchPaymentLink }', budgetKib: 8.2 },
  { name: 'ask', exports: '{ ask, PayinMethodsDocument }', budgetKib: 2.4 },
  { name: 'openCheckout', exports: '{ openCheckout }', budgetKib: 1 },
  { name: 'formatAmount', exports: '{ formatAmount }', budgetKib: 0.6 },
  { name: 'payment-text', exports: '*', module: 'payment-text', budgetKib: 5 },
  { name: 'standalone', exports: '*', module: 'standalone', budgetKib: 18.2 },
]

/** Modules that a bundle may include: those of the client kit alone. */
const EXPECTED = /\/packages\/client\/src\/|^\0?(?:rolldown\/|part-of-the-kit)/

const faults: string[] = []
for (const { name, exports, module = 'index', budgetKib } of PARTS) {
  const { code, modules, imports } = await bundle(`export ${exports} from ${JSON.stringify(`${KIT}/${module}.ts`)}`)
  const kib = gzipSync(code, { level: 9 }).length / KIB
  console.log(`${name.padEnd(18)} ${kib.toFixed(2).padStart(6)} KiB gzip, at most ${budgetKib}`)
  if (kib > budgetKib) faults.push(`${name} is over its budget.`)
  faults.push(...modules.filter((id) => !EXPECTED.test(id)).map((id) => `${name} brings along ${id}.`))
  if (imports.length > 0) faults.push(`${name} still imports ${imports.join(', ')}.`)
  if (/\b(?:require\(|process\.|Buffer\b)/.test(code)) faults.push(`${name} needs more than a browser has.`)
}
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exitCode = 1

type Bundle = { readonly code: string; readonly modules: readonly string[]; readonly imports: readonly string[] }

async function bundle(source: string): Promise<Bundle> {
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    plugins: [
      {
        name: ENTRY,
        resolveId: (id) => (id === ENTRY ? `\0${ENTRY}` : null),
        load: (id) => (id === `\0${ENTRY}` ? source : null),
      },
    ],
    build: {
      write: false,
      target: 'es2022',
      minify: true,
      rolldownOptions: { input: ENTRY, preserveEntrySignatures: 'strict' },
    },
  })
  const chunks = [built]
    .flat()
    .flatMap((one) => ('output' in one ? one.output : []))
    .filter((file): file is Rolldown.OutputChunk => file.type === 'chunk')
  return {
    code: chunks.map(({ code }) => code).join('\n'),
    modules: chunks.flatMap(({ moduleIds }) => moduleIds),
    imports: chunks.flatMap((chunk) => chunk.imports),
  }
}
