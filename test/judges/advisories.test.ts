import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'

type Report = {
  readonly message?: string
  readonly metadata?: { readonly vulnerabilities: Readonly<Record<string, number>> }
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string }>>
}
type Verdict =
  | { readonly answered: false; readonly why: string }
  | { readonly answered: true; readonly grave: string[] }

/** Checks only the lock file, once and with a short timeout: many registries, above all mirrors, do not support audits. */
const ARGUMENTS = ['audit', '--package-lock-only', '--omit=dev', '--json', '--fetch-retries=0', '--fetch-timeout=8000']
const GRAVE: ReadonlySet<string> = new Set(['high', 'critical'])

/** Parses the output of `npm audit --json`. */
function verdictOf(text: string): Verdict {
  const report = readReport(text)
  if (report.metadata === undefined) return { answered: false, why: report.message ?? 'npm gave no report' }
  const found = Object.entries(report.vulnerabilities ?? {})
  return {
    answered: true,
    grave: found
      .filter(([, { severity }]) => GRAVE.has(severity))
      .map(([name, { severity }]) => `${name}: ${severity}`),
  }
}

function readReport(text: string): Report {
  try {
    return JSON.parse(text) as Report
  } catch {
    return {}
  }
}

// promise(checks): No published advisory for a shipped package is high or critical.
describe('advisories about what ships', () => {
  it('are none that is high or critical', ({ skip }) => {
    const { stdout } = spawnSync('npm', ARGUMENTS, { encoding: 'utf8', timeout: 50_000 })
    const verdict = verdictOf(stdout)
    // Without an audit there is no result; the run's summary counts the test as skipped.
    skip(!verdict.answered, 'The registry answers no audits.')
    expect(verdict).toEqual({ answered: true, grave: [] })
  })
})
