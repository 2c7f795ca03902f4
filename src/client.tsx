import { StartClient } from '@tanstack/react-start/client'
import { StrictMode, startTransition } from 'react'
import { hydrateRoot } from 'react-dom/client'
import * as z from 'zod'
import { isLanguage } from './shared/language'
import { tellTimeZone } from './shared/zone'
import { loadMessages } from './ui/messages'

// zod otherwise tries to compile its schemas with `new Function`, which our content security policy forbids
z.config({ jitless: true })

const { lang, dataset } = document.documentElement
tellTimeZone(dataset['timeZone'])
await loadMessages(isLanguage(lang) ? lang : 'en')
// a page that was left is not to be woken
if (!window.early?.left) {
  startTransition(() => {
    hydrateRoot(
      document,
      <StrictMode>
        <StartClient />
      </StrictMode>,
    )
  })
}
