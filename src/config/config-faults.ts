/** What is wrong with one setting. The message never holds the value, which may be a secret put in the wrong place. */
export type ConfigFault = { readonly setting: string; readonly message: string }

/** Faults for the operator, one line each, in the order of the settings. */
export function describeFaults(faults: readonly ConfigFault[]): string {
  return faults.map(({ setting, message }) => `${setting} ${message}`).join('\n')
}
