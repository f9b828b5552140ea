import type { Site, Sites } from '../upstream/sites.ts'

/** Stands for subjects for which no credentials are configured: they hold up nobody else. */
const NO_SITE = ''

/** The name under which reads of a site are counted and held back. */
export function laneOf(site: Site | null): string {
  return site?.id ?? NO_SITE
}

/** Every name that `laneOf` can give. */
export function lanesOf(sites: Sites): readonly string[] {
  return [...sites.all.map(({ id }) => id), NO_SITE]
}
