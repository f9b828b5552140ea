/** The mark of the product. */
export function Logo({ size }: { readonly size: number }) {
  return (
    <svg class="logo" width={size} height={size} viewBox="0 0 20 20" aria-hidden="true">
      <rect width="20" height="20" rx="5" fill="currentColor" />
      <path
        d="M4.25 14.5h4.5v-4.25h4.5"
        fill="none"
        stroke="var(--canvas)"
        stroke-width="1.75"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
      <circle cx="14" cy="6" r="1.75" fill="var(--canvas)" />
    </svg>
  )
}
