import { type ReactNode, Suspense } from 'react'
import { IntlProvider } from 'use-intl'
import { textDirection, type Language, languageLocale } from '~/shared/language'
import { useMessages } from './messages'

type Props = { language: Language; timeZone: string; children: ReactNode }

/** A part of the page in a language of its own, such as what a patient takes home. */
export const Spoken = (props: Props) => (
  <Suspense fallback={null}>
    <Speaking {...props} />
  </Suspense>
)

function Speaking({ language, timeZone, children }: Props) {
  return (
    <IntlProvider
      locale={languageLocale(language)}
      messages={useMessages(language)}
      timeZone={timeZone}
    >
      <div lang={language} dir={textDirection(language)}>
        {children}
      </div>
    </IntlProvider>
  )
}
