import { StartClient } from '@tanstack/react-start/client'
import { StrictMode, startTransition } from 'react'
import { hydrateRoot } from 'react-dom/client'
import * as z from 'zod'
import { isLanguage } from './shared/language'
import { loadMessages } from './ui/messages'

// zod otherwise tries to compile its schemas with `new Function`, which our content security policy forbids
z.config({ jitless: true })

const { lang } = document.documentElement
await loadMessages(isLanguage(lang) ? lang : 'en')
startTransition(() => {
  hydrateRoot(
    document,
    <StrictMode>
      <StartClient />
    </StrictMode>,
  )
})
