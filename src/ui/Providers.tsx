import {
  DirectionProvider,
  type MantineColorSchemeManager,
  MantineProvider,
  mergeThemeOverrides,
  useDirection,
} from '@mantine/core'
import { type DayOfWeek, DatesProvider } from '@mantine/dates'
import { useMediaQuery } from '@mantine/hooks'
import { ModalsProvider } from '@mantine/modals'
import { type CSSProperties, type ReactNode, useEffect, useMemo } from 'react'
import { Toaster } from 'sonner'
import { IntlProvider } from 'use-intl'
import 'dayjs/locale/ar'
import 'dayjs/locale/es'
import { directionOf, type Language, localeOf } from '~/shared/language'
import type { Viewer } from '~/shared/viewer'
import { messagesOf } from './messages'
import { useSay } from '~/shared/say'
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
  return (
    <IntlProvider
      locale={localeOf(language)}
      messages={messagesOf(language)}
      timeZone={viewer.timeZone}
      now={drawnAt}
    >
      <DirectionProvider initialDirection={directionOf(language)} detectDirection={false}>
        <FollowDirection direction={directionOf(language)} />
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
          <Toasts direction={directionOf(language)} theme={viewer.theme} />
        </MantineProvider>
      </DirectionProvider>
    </IntlProvider>
  )
}

/** The theme, with the label of Mantine's close buttons, which have no text, in the viewer's language. */
function useLabelledTheme(language: Language) {
  return useMemo(() => {
    const close = { 'aria-label': messagesOf(language).common.close }
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

/** Number, time and width are those of docs/specification.md, "Screens". */
function Toasts({ direction, theme }: { direction: 'ltr' | 'rtl'; theme: Viewer['theme'] }) {
  const say = useSay()
  // up to this width, sonner draws toasts as wide as the screen: at the bottom they would cover Save
  const isPhone = useMediaQuery('(max-width: 600px)')
  const side = direction === 'rtl' ? 'left' : 'right'
  return (
    <Toaster
      // forms have their buttons on the other side
      position={isPhone ? 'top-center' : `bottom-${side}`}
      mobileOffset={{ top: 'calc(var(--app-shell-header-height, 0px) + 8px)', left: 16, right: 16 }}
      duration={4000}
      visibleToasts={3}
      gap={14}
      hotkey={['altKey', 'KeyT']}
      // above dialogs (200), below open menus (300) and the lock (1000)
      style={{ '--width': '356px', zIndex: 250 } as CSSProperties}
      dir={direction}
      theme={theme}
      richColors
      closeButton
      containerAriaLabel={say('shell.notifications')}
    />
  )
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
