import { useMediaQuery } from '@mantine/hooks'
import { type CSSProperties, useEffect } from 'react'
import { Toaster } from 'sonner'
import { useSay } from '~/shared/say'
import type { Viewer } from '~/shared/viewer'
import { toastsAreShown } from './toast'

type Props = { direction: 'ltr' | 'rtl'; theme: Viewer['theme'] }

/** Number, time and width are those of docs/specification.md, "Screens". */
export default function Toasts({ direction, theme }: Props) {
  const say = useSay()
  // at the bottom of a phone they would cover Save, and what can be done with a patient
  const isPhone = useMediaQuery('(max-width: 47.99em)')
  useEffect(toastsAreShown, [])
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
