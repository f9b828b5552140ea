import type { Site, Sites } from '../upstream/client/sites.ts'
import { type ReadFailure, faultOf, readFailure } from './operation-outcome.ts'

/** The answer of one site. */
export type Answered<Answer> = { readonly site: Site; readonly answer: Answer }

/** Returns the first site that serves a currency, or all sites if none is named. */
export function sitesAsked(sites: Sites, currency: string | null): readonly Site[] {
  return currency === null ? sites.all : [sites.forCurrency(currency)].filter((site) => site !== null)
}

/** Asks every site. If any of them does not answer, returns its failure: a list with a gap would look complete. */
export async function fromAllSites<Answer>(
  sites: readonly Site[],
  ask: (site: Site) => Promise<Answer>,
): Promise<Answered<Answer>[] | ReadFailure> {
  const answers = await Promise.all(sites.map((site) => attempt(site, () => ask(site))))
  return answers.find((answer) => 'kind' in answer) ?? answers.flatMap((answer) => ('kind' in answer ? [] : answer))
}

async function attempt<Answer>(site: Site, ask: () => Promise<Answer>): Promise<Answered<Answer> | ReadFailure> {
  try {
    return { site, answer: await ask() }
  } catch (error) {
    const fault = faultOf(error)
    if (fault === null) throw error
    return readFailure(fault, site.id)
  }
}
