import { StartClient } from '@tanstack/react-start/client'
import { StrictMode, startTransition } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { AppError } from './shared/errors'
import { isLanguage } from './shared/language'
import { tellTimeZone } from './shared/zone'
import { loadMessagesAt } from './ui/messages'

// zod otherwise tries to compile its schemas with `new Function`, which our content security policy forbids
globalThis.__zod_globalConfig = { jitless: true }

declare global {
  /** What `z.config` writes; zod itself is not yet loaded. */
  var __zod_globalConfig: { jitless: boolean } | undefined
}

const isRefusal = (error: unknown) => error instanceof AppError

const { lang, dataset } = document.documentElement
tellTimeZone(dataset['timeZone'])
await loadMessagesAt(location.pathname, isLanguage(lang) ? lang : 'en')
// a page that was left is not to be woken
if (!window.early?.left) {
  startTransition(() => {
    hydrateRoot(
      document,
      <StrictMode>
        <StartClient />
      </StrictMode>,
      {
        // a refusal has a screen of its own (ErrorView), so it is no fault to report; on a first
        // load React draws it anew
        // oxlint-disable-next-line no-console -- what React does by itself with all others
        onCaughtError: (error) => isRefusal(error) || console.error(error),
        onRecoverableError: (error) => isRefusal((error as Error).cause) || reportError(error),
      },
    )
  })
}
