import { Button, Combobox, Loader, useCombobox } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconClipboardPlus, IconSearch } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { api } from '~/client/api'
import type { Message } from '~/shared/errors'
import { useSay } from '~/shared/say'
import { explainError } from '~/client/explain'

/** As many as can be read at a glance; more are searched. */
const AT_A_GLANCE = 12

/** The forms of the visit's clinic: one press, and one is being filled in. */
export function FormMenu({ visitId, clinicId }: { visitId: string; clinicId: string }) {
  const say = useSay()
  const navigate = useNavigate()
  const { forms, isMany, failure, load } = useForms(clinicId)
  const [text, setText] = useState('')
  const combobox = useCombobox({
    onDropdownOpen: () => {
      setText('')
      void load('')
    },
    onDropdownClose: () => combobox.resetSelectedOption(),
  })
  const search = useDebouncedCallback(load, 250)

  return (
    <Combobox
      store={combobox}
      position="bottom-start"
      width={300}
      shadow="md"
      onOptionSubmit={(formId) =>
        void navigate({
          to: '/app/events/edit/{-$eventId}',
          params: { eventId: 'new' },
          search: { visitId, formId },
        })
      }
    >
      <Combobox.Target targetType="button">
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconClipboardPlus size={14} aria-hidden />}
          data-print="no"
          onClick={() => combobox.toggleDropdown()}
        >
          {say('events.fill')}
        </Button>
      </Combobox.Target>
      <Combobox.Dropdown>
        {isMany && (
          <Combobox.Search
            ref={focusGently}
            value={text}
            onChange={(event) => {
              setText(event.currentTarget.value)
              search(event.currentTarget.value)
            }}
            leftSection={<IconSearch size={16} aria-hidden />}
            aria-label={say('events.searchForms')}
            placeholder={say('events.searchForms')}
            maxLength={200}
            dir="auto"
          />
        )}
        <Combobox.Options
          aria-label={say('events.chooseForm')}
          tabIndex={0}
          mah="50vh"
          style={{ overflowY: 'auto' }}
        >
          {forms?.map(({ id, name }) => (
            <Combobox.Option key={id} value={id}>
              <bdi>{name}</bdi>
            </Combobox.Option>
          ))}
          {forms === null && failure === null && (
            <Combobox.Empty>
              <Loader size="xs" aria-label={say('common.loading')} />
            </Combobox.Empty>
          )}
          {failure && <Combobox.Empty role="alert">{say(failure)}</Combobox.Empty>}
          {forms?.length === 0 && (
            <Combobox.Empty>{say(text ? 'form.nothingFound' : 'events.noForms')}</Combobox.Empty>
          )}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  )
}

/** It appears before it has its place: the page must not jump there. */
const focusGently = (box: HTMLInputElement | null) => box?.focus({ preventScroll: true })

function useForms(clinicId: string) {
  const [forms, setForms] = useState<{ id: string; name: string }[] | null>(null)
  const [isMany, setMany] = useState(false)
  const [failure, setFailure] = useState<Message | null>(null)
  const asked = useRef('')

  /** What was asked last counts, whichever answer comes last. */
  async function load(search: string) {
    asked.current = search
    setFailure(null)
    try {
      const { rows, pagination } = await api.eventForms.list({ clinicId, search })
      if (asked.current !== search) return
      setForms(rows)
      if (!search) setMany(pagination.total > AT_A_GLANCE)
    } catch (error) {
      setForms(null)
      setFailure(explainError(error).text)
    }
  }
  return { forms, isMany, failure, load }
}
