import { spawn } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { PAGES } from '../../vite.config.ts'
import { temporaryFolder } from '../support/process.ts'

const PAGE_COUNT = Object.keys(PAGES).length
const ROOT = join(import.meta.dirname, '../..')

it('restarts the program and builds the pages again when a source file changes', async () => {
  const folder = temporaryFolder()
  for (const name of [
    'src',
    'packages',
    'examples',
    'scripts',
    'schema.graphql',
    'package.json',
    'vite.config.ts',
    'tsconfig.json',
    'dist/web',
  ])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const edit = (path: string, text: string, replacement: string) => {
    const before = readFileSync(join(folder, path), 'utf8')
    expect(before).toContain(text)
    writeFileSync(join(folder, path), before.replace(text, replacement))
  }
  const child = spawn(process.execPath, ['scripts/dev.ts'], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'] ?? '',
      NODE_OPTIONS: process.env['NODE_OPTIONS'] ?? '',
      PORT: '0',
      SANDBOX_PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  onTestFinished(() => void child.kill('SIGKILL'))
  const output = outputOf(child)

  await output.times(1, /payments-subgraph is ready/g)
  await output.times(PAGE_COUNT, /built in/g)
  edit('src/start-message.ts', 'is ready', 'is ready again')
  await output.times(1, /payments-subgraph is ready again/g)
  const [, url = ''] = await output.times(2, /Shop +(\S+)/g)
  edit('examples/shop/index.html', '<title>Checkout · Harbour Coffee</title>', '<title>Changed</title>')
  await output.times(PAGE_COUNT + 1, /built in/g)
  expect(await (await fetch(url)).text()).toContain('<title>Changed</title>')

  child.kill('SIGTERM')
  await ended
}, 60_000)

/** Collects a program's output. `times` waits until a pattern has occurred `count` times, and returns its last occurrence. */
function outputOf(child: ReturnType<typeof spawn>) {
  let text = ''
  let look = () => {}
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (part: string) => {
      text += part
      look()
    })
  return {
    times: (count: number, pattern: RegExp) =>
      new Promise<RegExpMatchArray>((resolve) => {
        look = () => {
          const found = [...text.matchAll(pattern)].at(count - 1)
          if (found !== undefined) resolve(found)
        }
        look()
      }),
  }
}
