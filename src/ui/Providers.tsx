import {
  DirectionProvider,
  type MantineColorSchemeManager,
  MantineProvider,
  mergeThemeOverrides,
  useDirection,
} from '@mantine/core'
import { type DayOfWeek, DatesProvider } from '@mantine/dates'
import { ModalsProvider } from '@mantine/modals'
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useSyncExternalStore } from 'react'
import { IntlErrorCode, IntlProvider } from 'use-intl'
import { textDirection, type Language, languageLocale } from '~/shared/language'
import type { Viewer } from '~/shared/viewer'
import { useIdle } from '~/client/idle'
import { followListKeys } from './list-keys'
import { isToastWaiting, onFirstToast } from './toast'
import { areAllLoaded, loadMessages, loadedMessages, onMessages } from './messages'
import { cssVariables, theme } from './theme'

type Props = {
  viewer: Viewer
  /** The first value of `useNow`: the same on the server and in the browser. */
  drawnAt: Date
  nonce?: string
  children: ReactNode
}

/** Language, direction, colours, dialogs and toasts of every screen. */
export function Providers({ viewer, drawnAt, nonce, children }: Props) {
  const { language } = viewer
  useEffect(followListKeys, [])
  const messages = useSyncExternalStore(
    onMessages,
    () => loadedMessages(language),
    () => loadedMessages(language),
  )
  return (
    <IntlProvider
      locale={languageLocale(language)}
      messages={messages}
      onError={(error) => {
        if (error.code === IntlErrorCode.MISSING_MESSAGE && !areAllLoaded(language)) return
        // oxlint-disable-next-line no-console -- as use-intl does by itself
        console.error(error)
      }}
      getMessageFallback={() => {
        // on the first screen, a sentence of another one, such as that of a refusal: it is shown as soon as it is here
        void loadMessages(language).catch(() => {})
        return ''
      }}
      timeZone={viewer.timeZone}
      now={drawnAt}
    >
      <DirectionProvider initialDirection={textDirection(language)} detectDirection={false}>
        <FollowDirection direction={textDirection(language)} />
        <MantineProvider
          theme={useLabelledTheme(language)}
          cssVariablesResolver={cssVariables}
          defaultColorScheme="auto"
          forceColorScheme={viewer.theme === 'system' ? undefined : viewer.theme}
          colorSchemeManager={cookieKeepsIt}
          getStyleNonce={() => nonce ?? ''}
        >
          <DatesProvider settings={{ locale: language, ...weeks[language] }}>
            <ModalsProvider>{children}</ModalsProvider>
          </DatesProvider>
          <LateToasts direction={textDirection(language)} theme={viewer.theme} />
        </MantineProvider>
      </DirectionProvider>
    </IntlProvider>
  )
}

const Toasts = lazy(() => import('./Toasts'))

/** The place of the toasts, fetched after the page, or with the first of them. */
function LateToasts(props: { direction: 'ltr' | 'rtl'; theme: Viewer['theme'] }) {
  const isIdle = useIdle()
  const isSaid = useSyncExternalStore(onFirstToast, isToastWaiting, () => false)
  return <Suspense fallback={null}>{(isIdle || isSaid) && <Toasts {...props} />}</Suspense>
}

/** The theme, with the label of Mantine's close buttons, which have no text, in the viewer's language. */
function useLabelledTheme(language: Language) {
  return useMemo(() => {
    const close = { 'aria-label': loadedMessages(language).common.close }
    // a dialog's header is not the page's banner
    const dialog = { closeButtonProps: close, attributes: { header: { role: 'presentation' } } }
    return mergeThemeOverrides(theme, {
      components: {
        Modal: { defaultProps: { ...dialog, centered: true } },
        Drawer: { defaultProps: dialog },
      },
    })
  }, [language])
}

/** DirectionProvider reads its direction once; remounting it instead would lose what the user typed. */
function FollowDirection({ direction }: { direction: 'ltr' | 'rtl' }) {
  const { setDirection } = useDirection()
  useEffect(() => setDirection(direction), [direction, setDirection])
  return null
}

const weeks: Record<Language, { firstDayOfWeek: DayOfWeek; weekendDays: DayOfWeek[] }> = {
  en: { firstDayOfWeek: 1, weekendDays: [0, 6] },
  es: { firstDayOfWeek: 1, weekendDays: [0, 6] },
  ar: { firstDayOfWeek: 6, weekendDays: [5, 6] },
}

/** The theme is in a cookie, which the server reads: Mantine's own storage stays unused. */
const cookieKeepsIt: MantineColorSchemeManager = {
  get: (fallback) => fallback,
  set: () => {},
  subscribe: () => {},
  unsubscribe: () => {},
  clear: () => {},
}
