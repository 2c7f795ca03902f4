import { Combobox, Group, Loader, Text, TextInput, useCombobox } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { api } from '~/client/api'
import { type Language, translated } from '~/shared/language'
import { REFUSES } from '~/fields/refuses'
import { useSay } from '~/shared/say'
import type { FoundCode } from './codes.server'
import { CODE_SYSTEM_NAMES } from './code'

type Props = {
  language: Language
  onPick: (code: FoundCode) => void
  /** Several codes are picked one after the other: the box is empty again. */
  many?: { label: string; hint?: string }
}

/** As many as fit without scrolling: a few more letters find the rest sooner. */
const AT_A_GLANCE = 8

/** Finds a problem in the code list by words of any language; others are typed into the fields below. */
export function CodePicker({ language, onPick, many }: Props) {
  const say = useSay()
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() })
  const [text, setText] = useState('')
  const [found, setFound] = useState<FoundCode[]>([])
  const [state, setState] = useState<'idle' | 'searching' | 'done'>('idle')
  const [wasLeft, setLeft] = useState(false)
  // beside fields of its own, the text is no more than a search
  const isLeftOver = many !== undefined && text.trim() !== ''
  const isUntaken = wasLeft && isLeftOver

  const search = useDebouncedCallback(async (query: string) => {
    setState('searching')
    // without the server, the user types into the fields below
    setFound(await api.problems.searchCodes({ query, limit: AT_A_GLANCE }).catch(() => []))
    setState('done')
  }, 250)
  // Enter takes the only result, or the code that was typed; the arrow keys choose another
  useEffect(() => {
    const typed = text.trim().toLowerCase()
    const isCertain = found.length === 1 || found[0]?.code.toLowerCase() === typed
    if (isCertain) combobox.selectFirstOption()
    // oxlint-disable-next-line react/exhaustive-deps -- the store is a new object on every render
  }, [found])

  function open() {
    combobox.openDropdown()
    if (state === 'idle') search(text)
  }

  return (
    <Combobox
      store={combobox}
      shadow="md"
      onOptionSubmit={(value) => {
        const code = found.find((each) => formatCode(each) === value)
        if (!code) return
        onPick(code)
        setText(many ? '' : translated(code.labels, language))
        combobox.closeDropdown()
      }}
    >
      <Combobox.Target>
        <TextInput
          wrapperProps={{ 'data-late-list': true, 'data-own-fields': many ? undefined : true }}
          label={many?.label ?? say('problems.search')}
          description={many ? many.hint : say('problems.searchHint')}
          leftSection={<IconSearch size={16} aria-hidden />}
          rightSection={state === 'searching' && <Loader size="xs" />}
          value={text}
          error={isUntaken && say('form.notTaken')}
          aria-invalid={isUntaken || undefined}
          {...{ [REFUSES]: isLeftOver || undefined }}
          onChange={(event) => {
            setLeft(false)
            setText(event.currentTarget.value)
            combobox.openDropdown()
            // what is marked belongs to the text before
            combobox.resetSelectedOption()
            search(event.currentTarget.value)
          }}
          onClick={open}
          onFocus={open}
          onBlur={() => {
            setLeft(true)
            combobox.closeDropdown()
          }}
          dir="auto"
          autoComplete="off"
          data-autofocus={!many || undefined}
        />
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Options aria-label={say('problems.search')}>
          {found.map((code) => (
            <Combobox.Option key={formatCode(code)} value={formatCode(code)}>
              <Group justify="space-between" wrap="nowrap" gap="sm">
                <Text size="sm" component="bdi">
                  {translated(code.labels, language)}
                </Text>
                <Text size="xs" dir="ltr" style={{ whiteSpace: 'nowrap' }}>
                  {CODE_SYSTEM_NAMES[code.system]} {code.code}
                </Text>
              </Group>
            </Combobox.Option>
          ))}
          {state === 'done' && found.length === 0 && (
            <Combobox.Empty>{say('problems.nothingFound')}</Combobox.Empty>
          )}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  )
}

const formatCode = ({ system, code }: FoundCode) => `${system} ${code}`
