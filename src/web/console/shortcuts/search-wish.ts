let wished = false

/** The next view that is gone to begins at its search field. */
export function wishForSearch(): void {
  wished = true
}

/** The search field of the view that is shown, when it was wished for since the last call. */
export function wishedSearch(): HTMLElement | null {
  const wish = wished
  wished = false
  return wish ? searchField() : null
}

/** The search field of the view that is shown, if it has one. */
export function searchField(): HTMLElement | null {
  return document.querySelector<HTMLElement>('[data-search]')
}
