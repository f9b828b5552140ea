import { useRef, useState } from 'preact/hooks'

/**
 * Returns whether an action is running, and the action itself; calls while it is running are ignored, e.g. on a double
 * click.
 */
export function useSingle<Args extends readonly unknown[]>(
  action: (...args: Args) => Promise<void>,
): [isBusy: boolean, act: (...args: Args) => void] {
  const isRunning = useRef(false)
  const [isBusy, setBusy] = useState(false)
  const run = async (args: Args) => {
    isRunning.current = true
    setBusy(true)
    try {
      await action(...args)
    } finally {
      isRunning.current = false
      setBusy(false)
    }
  }
  return [isBusy, (...args) => void (isRunning.current || run(args))]
}
