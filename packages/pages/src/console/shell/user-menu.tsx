import { useId } from 'preact/hooks'
import { Icon } from '../../design/icons.tsx'
import { agoText } from '../pieces/moments.tsx'
import { prefer, type PreferenceName, PREFERENCES, usePreference } from '../pieces/preferences.ts'
import { useSession } from '../session/session.ts'

/** Who is signed in: what they may do, how they want the console to look, and Sign out. */
export function UserMenu() {
  const { claims, signOut } = useSession()
  usePreference('zone')
  const id = useId()
  const name = claims.subject ?? 'Unnamed user'
  return (
    <>
      <button class="who" type="button" popovertarget={id}>
        <span class="letter" aria-hidden="true">
          {name.charAt(0).toUpperCase()}
        </span>
        <span>
          <span class="cut">{name}</span>
          <span class="small faint">Token expires {agoText(claims.expiresAt, Date.now())}</span>
        </span>
      </button>
      <div class="pop user-menu" id={id} popover="auto" role="group" aria-label="User">
        <Choice name="theme" label="Theme" words={['System', 'Light', 'Dark']} />
        <Choice name="density" label="Rows" words={['Normal', 'Compact']} />
        <Choice name="zone" label="Times" words={['Local', 'UTC']} />
        <details>
          <summary>Scopes of the token</summary>
          <ul class="scopes">
            {[...claims.scopes].map((scope) => (
              <li key={scope}>
                <code>{scope}</code>
              </li>
            ))}
          </ul>
        </details>
        <button class="button" type="button" onClick={() => signOut()}>
          <Icon name="lock" />
          <span>Sign out</span>
        </button>
      </div>
    </>
  )
}

type ChoiceProps = { readonly name: PreferenceName; readonly label: string; readonly words: readonly string[] }

function Choice({ name, label, words }: ChoiceProps) {
  const chosen = usePreference(name)
  return (
    <div class="choice-row">
      <span class="label">{label}</span>
      <div class="segments" role="group" aria-label={label}>
        {PREFERENCES[name].map((value, index) => (
          <button key={value} type="button" aria-pressed={value === chosen} onClick={() => prefer(name, value)}>
            {words[index]}
          </button>
        ))}
      </div>
    </div>
  )
}
