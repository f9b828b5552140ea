/** Which payments API the server works with: the server chooses the page that says so. */
export const ENVIRONMENT =
  document.documentElement.dataset['environment'] === 'production' ? ('production' as const) : ('sandbox' as const)

/** Says whether real money moves. */
export function EnvironmentBadge({ class: more = '' }: { readonly class?: string }) {
  return <span class={`badge ${ENVIRONMENT} ${more}`}>{ENVIRONMENT.toUpperCase()}</span>
}

/** Names the view in the title of the window, with the environment. */
export function nameWindow(title: string): void {
  document.title = `${title} · ${ENVIRONMENT.toUpperCase()} · Payments console`
}
