import { CloseButton, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { type Sayable, useSay } from '~/shared/say'
import { withSearch } from './search'

type Props = { label?: Sayable; delay?: number }

/** Writes what is typed into the address (`search`), a moment after the last key; the list's loader reads it there. */
export function SearchBox({ label = 'common.search', delay = 300 }: Props) {
  const say = useSay()
  const navigate = useNavigate()
  const { search = '' } = useSearch({ strict: false }) as { search?: string }
  const [text, setText] = useState(search)
  const sent = useRef(search)
  const input = useRef<HTMLInputElement>(null)

  // the back button changes the address under us; our own writes come back as what was sent
  useEffect(() => {
    if (search !== sent.current) setText(search)
    sent.current = search
  }, [search])

  function send(value: string) {
    sent.current = value.trim()
    void navigate({
      to: '.',
      search: withSearch({ page: undefined, search: sent.current || undefined }),
      // one step back leaves the list, not one letter
      replace: true,
      resetScroll: false,
    })
  }
  const sendSoon = useDebouncedCallback(send, delay)

  return (
    <TextInput
      ref={input}
      type="search"
      aria-label={say(label)}
      placeholder={say(label)}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={
        text && (
          <CloseButton
            size="sm"
            aria-label={say('table.clearSearch')}
            onClick={() => {
              setText('')
              send('')
              input.current?.focus()
            }}
          />
        )
      }
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value)
        sendSoon(event.currentTarget.value)
      }}
      dir="auto"
      autoComplete="off"
      w={{ base: '100%', xs: '20rem' }}
    />
  )
}
