import type { Fields } from '~/fields/field'
import type { Message } from '~/shared/errors'
import { textDirection, type Language, languageNames, LANGUAGES } from '~/shared/language'
import type { MessageKey } from '~/shared/language'
import type { Sayable } from '~/shared/say'
import type { Theme } from '~/shared/viewer'
import { Logo } from '~/ui/Logo'
import { codeFields, confirmFields, replaceFields, signInFields } from '../session'
import { signInScript } from './sign-in-script'
import { signInStyle } from './sign-in-style'

/** What the form asks for: each step posts to the operation of its name in `sign-in.server.ts`. */
export type SignInStep = 'signIn' | 'verify' | 'replace' | 'unlock' | 'unlockByCode'

/** Why the form was refused: as a whole, and beside its fields. */
export type Complaint = { text?: Message; fields: Readonly<Record<string, Message>> }

type Words = { title: MessageKey; lead: MessageKey; submit: MessageKey; leave?: MessageKey }
const words: Record<SignInStep, Words & { fields: Fields }> = {
  signIn: {
    title: 'sessions.title',
    lead: 'sessions.lead',
    submit: 'sessions.signIn',
    fields: signInFields,
  },
  verify: {
    title: 'sessions.stepTwo',
    lead: 'sessions.stepTwoText',
    submit: 'sessions.continue',
    leave: 'sessions.startOver',
    fields: codeFields,
  },
  replace: {
    title: 'sessions.ownPassword',
    lead: 'sessions.ownPasswordText',
    submit: 'sessions.continue',
    leave: 'sessions.startOver',
    fields: replaceFields,
  },
  unlock: {
    title: 'sessions.lockedTitle',
    lead: 'sessions.lockedText',
    submit: 'sessions.unlock',
    leave: 'sessions.someoneElse',
    fields: confirmFields,
  },
  unlockByCode: {
    title: 'sessions.lockedTitle',
    lead: 'sessions.lockedText',
    submit: 'sessions.unlock',
    leave: 'sessions.someoneElse',
    fields: codeFields,
  },
}

export type PageProps = {
  step: SignInStep
  /** Who locked the session. */
  name: string
  /** Of the screen that was asked for; null for the dashboard. */
  to: string | null
  language: Language
  theme: Theme
  /** Kept after a refusal: never a password. */
  typed: Readonly<Record<string, string>>
  complaint: Complaint | null
  say: (what: Sayable) => string
  nonce: string
  /** Addresses of what the first screen needs. */
  assets: readonly string[]
}

/** Where the form is posted, so that this screen comes after the sign-in. */
export const actionFor = (to: string) => `/?to=${encodeURIComponent(to)}`

/**
 * The way in, as a page that needs no script and no other request: a plain form, which the server answers. It is drawn
 * on the server alone.
 */
export function SignInPage(props: PageProps) {
  const { step, name, to, language, theme, complaint, say, nonce, assets } = props
  const { title, lead, submit, leave, fields } = words[step]
  const wrong = Object.keys(fields).find((field) => complaint?.fields[field])
  const action = to ? actionFor(to) : '/'
  return (
    <html lang={language} dir={textDirection(language)} data-theme={theme}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{`${say(title)} · Sanad EHR`}</title>
        <link rel="icon" href="/icon.svg" type="image/svg+xml" />
        <link rel="manifest" href="/manifest.webmanifest" />
        <style dangerouslySetInnerHTML={{ __html: signInStyle }} />
      </head>
      <body>
        <main>
          <div className="brand">
            <Logo size={40} />
            {say('shell.product')}
          </div>
          <div className="card">
            <h1>{say(title)}</h1>
            <p>{say({ key: lead, values: { name } })}</p>
            <div className="alert" role="alert" id="below" hidden>
              {say('sessions.belowPath')}
            </div>
            <form id="form" method="post" action={action} noValidate>
              <input type="hidden" name="step" value={step} />
              {complaint?.text && (
                <div className="alert" role="alert">
                  {say(complaint.text)}
                </div>
              )}
              {Object.keys(fields).map((field, at) => (
                <Field
                  key={field}
                  {...props}
                  field={field}
                  fields={fields}
                  hasFocus={wrong ? field === wrong : at === 0}
                />
              ))}
              <div className="row">
                <button className="main">{say(submit)}</button>
                {step === 'unlock' && <Other to={action} by="code" say={say} />}
                {step === 'unlockByCode' && <Other to={action} by="password" say={say} />}
                {leave && (
                  <button name="leave" value="1">
                    {say(leave)}
                  </button>
                )}
              </div>
              {step === 'signIn' && <p>{say('sessions.forgot')}</p>}
            </form>
          </div>
          <fieldset className="languages" aria-label={say('shell.language')}>
            {LANGUAGES.map((one) => (
              // of the same form, so that the address typed so far stays
              <button
                key={one}
                form="form"
                name="language"
                value={one}
                lang={one}
                aria-pressed={one === language}
              >
                {languageNames[one]}
              </button>
            ))}
          </fieldset>
        </main>
        <script nonce={nonce} dangerouslySetInnerHTML={{ __html: signInScript(assets) }} />
      </body>
    </html>
  )
}

type FieldProps = PageProps & { field: string; fields: Fields; hasFocus: boolean }

function Field({ field, fields, hasFocus, typed, complaint, say }: FieldProps) {
  const { kind, label, hint } = fields[field]!
  const problem = complaint?.fields[field]
  const described = [hint && `${field}-hint`, problem && `${field}-error`].filter(Boolean).join(' ')
  const isSecret = kind === 'password'
  return (
    <div>
      <label htmlFor={field}>{say(label)}</label>
      {hint && <p id={`${field}-hint`}>{say(hint)}</p>}
      <div className={isSecret ? 'box secret' : 'box'}>
        <input
          id={field}
          name={field}
          type={isSecret || kind === 'email' ? kind : 'text'}
          dir="ltr"
          defaultValue={isSecret ? '' : typed[field]}
          autoComplete={autoComplete[field]}
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- the page is this form; a refusal focuses the wrong field
          autoFocus={hasFocus}
          aria-invalid={problem ? true : undefined}
          aria-describedby={described || undefined}
          autoCapitalize="none"
          spellCheck={false}
        />
        {isSecret && (
          <button type="button" hidden aria-pressed={false} aria-label={say('form.showPassword')}>
            <Eye />
          </button>
        )}
      </div>
      {problem && (
        <p className="wrong" id={`${field}-error`}>
          {say(problem)}
        </p>
      )}
    </div>
  )
}

const autoComplete: Record<string, string> = {
  email: 'username',
  password: 'current-password',
  newPassword: 'new-password',
  repeated: 'new-password',
  code: 'one-time-code',
}

type OtherProps = { to: string; by: 'code' | 'password'; say: PageProps['say'] }

/** Unlocking the other way. */
const Other = ({ to, by, say }: OtherProps) => (
  <a className="button" href={`${to}${to.includes('?') ? '&' : '?'}by=${by}`}>
    {say(by === 'code' ? 'sessions.useCode' : 'sessions.usePassword')}
  </a>
)

const Eye = () => (
  <svg width="18" height="18" viewBox="0 0 24 24" fill="none" stroke="currentColor" aria-hidden>
    <path d="M2 12c5-9 15-9 20 0-5 9-15 9-20 0Z" strokeWidth="2" strokeLinejoin="round" />
    <circle cx="12" cy="12" r="3" strokeWidth="2" />
  </svg>
)
