import { useGraphiQL, useGraphiQLActions } from '@graphiql/react'
import { useEffect, useRef } from 'react'

/** Copies the headers to every other tab, so that a token needs to be typed only once. `initial` is the text before that. */
export function useSameHeaders(initial: string): void {
  const editor = useGraphiQL(({ headerEditor }) => headerEditor)
  const tab = useGraphiQL(({ activeTabIndex }) => activeTabIndex)
  const typed = useRef(initial)

  useEffect(() => {
    // A tab switch sets the editor's content with a flush; typing does not.
    const listening = editor?.onDidChangeModelContent(({ isFlush }) => {
      if (!isFlush) typed.current = editor.getValue()
    })
    return () => listening?.dispose()
  }, [editor])

  useEffect(() => {
    if (editor !== undefined && editor.getValue() !== typed.current) editor.setValue(typed.current)
  }, [editor, tab])
}

/** Makes the editors follow the system's dark or light theme while the page is open, unless a theme was chosen. */
export function useSystemTheme(): void {
  const chosen = useGraphiQL(({ theme }) => theme)
  const { setTheme } = useGraphiQLActions()

  useEffect(() => {
    const system = matchMedia('(prefers-color-scheme: dark)')
    const follow = () => {
      if (chosen === null) setTheme(null)
    }
    system.addEventListener('change', follow)
    return () => system.removeEventListener('change', follow)
  }, [chosen, setTheme])
}
