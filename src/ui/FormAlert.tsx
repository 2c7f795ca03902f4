import { Alert, Text } from '@mantine/core'
import { useLayoutEffect, useRef } from 'react'
import { type Sayable, useSay } from '~/shared/say'

/** Says what is wrong with a form as a whole; nothing if nothing is. Whoever pressed the button at its far end is brought to it. */
export function FormAlert({ texts }: { texts: readonly Sayable[] }) {
  const say = useSay()
  const alert = useRef<HTMLDivElement>(null)
  const [whole, ...details] = texts
  const said = texts.map((text) => say(text)).join()
  // before anything is focused: what is to be mended has the last word on what is in view
  useLayoutEffect(() => {
    if (said) alert.current?.scrollIntoView({ block: 'nearest' })
  }, [said])
  if (!whole) return null
  return (
    // clear of the bar at the top, and of the one that some forms have at the bottom
    <Alert
      ref={alert}
      role="alert"
      color="red"
      variant="light"
      title={say(whole)}
      style={{ scrollMarginBlock: '5rem' }}
    >
      {details.length > 0 &&
        details.map((text) => (
          <Text key={say(text)} size="sm">
            {say(text)}
          </Text>
        ))}
    </Alert>
  )
}
