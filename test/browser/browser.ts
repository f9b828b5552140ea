import { existsSync, mkdirSync } from 'node:fs'
import axe from 'axe-core'
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { missing } from '../support/postgres.ts'

const PATH = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'

/** A browser that speaks to nobody but the pages under test. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A page may take so long to show what a test waits for, in milliseconds: two processors share everything. */
const PATIENCE_MS = 15_000

export type TestBrowser = {
  /** True where there is none: the suites that need it are skipped. */
  readonly isMissing: boolean
  /** A new profile, which ends with the test. Fails the test at its end for each error that a page of it has told of. */
  profile(options?: ProfileOptions): Promise<Profile>
}

export type ProfileOptions = BrowserContextOptions & {
  /** Errors on the console that the test provokes. */
  readonly expectedErrors?: readonly RegExp[]
}

export type Profile = {
  readonly context: BrowserContext
  /** Opens a page in it. */
  open(url: string): Promise<Page>
}

/** It ends with its process. */
let launched: Promise<Browser> | null = null

/**
 * The real browser of these tests, one for all the files of a process, each test with a profile of its own. Where there is none the suites fail under CI, and are skipped elsewhere,
 * with a line that says how to get one.
 */
export async function findBrowser(): Promise<TestBrowser> {
  if (!existsSync(PATH)) {
    missing(`There is no Chromium at ${PATH}`, 'install it (`apt-get install chromium`), or name it in CHROMIUM_PATH')
    return { isMissing: true, profile: () => Promise.reject(new Error('There is no browser.')) }
  }
  const browser = await (launched ??= chromium.launch({ executablePath: PATH, args: FLAGS }))
  return { isMissing: false, profile: (options) => openProfile(browser, options) }
}

async function openProfile(browser: Browser, options: ProfileOptions = {}): Promise<Profile> {
  const { expectedErrors = [], ...contextOptions } = options
  const context = await browser.newContext({ locale: 'en', timezoneId: 'UTC', ...contextOptions })
  context.setDefaultTimeout(PATIENCE_MS)
  const errors: string[] = []
  context.on('weberror', (error) => errors.push(String(error.error())))
  context.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text())
  })
  onTestFinished(async () => {
    await context.close()
    expect(errors.filter((text) => !expectedErrors.some((pattern) => pattern.test(text)))).toEqual([])
  })
  return {
    context,
    open: async (url) => {
      const page = await context.newPage()
      await page.goto(url)
      return page
    },
  }
}

/**
 * Everything that axe-core finds wrong with a page as it is now, light and dark, one line each: an empty list when nothing.
 */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  const found: string[] = []
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source)
  for (const [colorScheme, rules] of SCHEMES) {
    await page.emulateMedia({ colorScheme })
    // Listeners to it are told before the next frame, and may have to change the page.
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
    const options = JSON.stringify({ resultTypes: ['violations'], ...rules })
    const { violations } = await page.evaluate<AxeResult>(`axe.run(document, ${options})`)
    for (const { id, nodes } of violations)
      found.push(...nodes.map(({ html }) => `${colorScheme}: ${id}: ${html.slice(0, 200)}`))
  }
  await page.emulateMedia({ colorScheme: null })
  return found
}

/** What the colours change is looked at in both; what a page says and how it is built, in one. */
const SCHEMES = [
  ['light', {}],
  ['dark', { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } }],
] as const

type AxeResult = {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { html: string }[] }[]
}

/** Keeps a picture of the page for the documentation, when `SCREENSHOTS` asks for it. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  if (process.env['SCREENSHOTS'] === undefined) return
  mkdirSync('docs/pictures', { recursive: true })
  await page.screenshot({ path: `docs/pictures/${name}.png`, fullPage: true })
}
