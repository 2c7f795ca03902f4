import {
  ActionIcon,
  Combobox,
  Group,
  Input,
  Loader,
  Paper,
  Stack,
  Text,
  TextInput,
  useCombobox,
} from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch, IconX } from '@tabler/icons-react'
import { useId, useState } from 'react'
import { useFrame } from '~/fields/frame'
import { REFUSES } from '~/fields/refuses'
import type { InputProps } from '~/fields/kind'
import { useSay } from '~/shared/say'
import { type Diagnosis, same } from './answers'
import type { EventFieldOfType } from './definition'

export type FoundDiagnosis = { code: string; desc: string }

type Props = InputProps & {
  question: EventFieldOfType<'diagnosis'>
  search?: (text: string) => Promise<FoundDiagnosis[]>
}

/**
 * Diagnoses as phones keep them, `{code, desc}`: from the form's own list, from the code list, or
 * in one's own words.
 */
export function DiagnosesInput({ question, search, ...props }: Props) {
  const say = useSay()
  const {
    label,
    description,
    error,
    withAsterisk,
    disabled,
    'aria-invalid': isWrong,
  } = useFrame(props)
  const inputId = useId()
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() })
  const [text, setText] = useState('')
  const [found, setFound] = useState<FoundDiagnosis[]>([])
  /** What the list was searched for; it lags behind what is typed. */
  const [soughtFor, setSoughtFor] = useState('')
  const [wasLeft, setLeft] = useState(false)
  const [state, setState] = useState<'idle' | 'searching' | 'failed'>('idle')
  const isUntaken = wasLeft && text.trim() !== ''
  const chosen = (Array.isArray(props.value) ? props.value : []) as Diagnosis[]

  const own = question.options.map(({ value, label: desc }) => ({ code: value, desc }))
  const matching = own.filter(({ code, desc }) =>
    `${desc} ${code}`.toLowerCase().includes(text.trim().toLowerCase()),
  )
  const offered = (own.length > 0 ? matching : found).filter(
    (one) => !chosen.some((other) => isSame(one, other)),
  )

  const isSearched = own.length > 0 || !search || soughtFor === text

  const look = useDebouncedCallback(async (query: string) => {
    if (!search || own.length > 0) return
    setState('searching')
    try {
      setFound(await search(query))
      setSoughtFor(query)
      setState('idle')
    } catch {
      // one's own words remain the way when the server is out of reach
      setFound([])
      setSoughtFor(query)
      setState('failed')
    }
  }, 250)

  function add(diagnosis: FoundDiagnosis) {
    if (!chosen.some((one) => isSame(one, diagnosis))) props.onChange([...chosen, diagnosis])
    setText('')
    setFound([])
    combobox.closeDropdown()
  }
  function pick(key: string) {
    const one = offered.find((each) => diagnosisKey(each) === key)
    if (one) add(one)
    else if (text.trim()) add({ code: '', desc: text.trim() })
  }
  function open() {
    combobox.openDropdown()
    look(text)
  }

  return (
    <Input.Wrapper
      label={label}
      description={description ?? say('answers.diagnosisHint')}
      error={isUntaken ? say('answers.notTaken') : error}
      withAsterisk={withAsterisk}
      labelProps={{ htmlFor: inputId }}
    >
      <Stack gap="xs" mt={4}>
        {chosen.map((diagnosis) => (
          <Paper key={diagnosisKey(diagnosis)} withBorder px="sm" py={4}>
            <Group justify="space-between" wrap="nowrap" gap="xs">
              <Text size="sm">
                <bdi>{diagnosis.desc}</bdi>{' '}
                <Text span size="xs" c="dimmed" dir="ltr">
                  {diagnosis.code}
                </Text>
              </Text>
              <ActionIcon
                variant="subtle"
                color="gray"
                c="dimmed"
                disabled={disabled}
                aria-label={say({
                  key: 'answers.removeDiagnosis',
                  values: { name: diagnosis.desc },
                })}
                onClick={() => props.onChange(chosen.filter((one) => !same(one, diagnosis)))}
              >
                <IconX size={16} aria-hidden />
              </ActionIcon>
            </Group>
          </Paper>
        ))}
        <Combobox store={combobox} shadow="md" onOptionSubmit={pick}>
          <Combobox.Target>
            <TextInput
              wrapperProps={{ 'data-late-list': true }}
              id={inputId}
              name={props.name}
              placeholder={say('answers.addDiagnosis')}
              leftSection={<IconSearch size={16} aria-hidden />}
              rightSection={state === 'searching' && <Loader size="xs" />}
              value={text}
              disabled={disabled}
              aria-invalid={isUntaken || isWrong}
              // a text that is in no list and was not taken as it is must not be lost by a save
              {...{ [REFUSES]: text.trim() !== '' || undefined }}
              onChange={(event) => {
                setLeft(false)
                setText(event.currentTarget.value)
                combobox.openDropdown()
                combobox.resetSelectedOption()
                look(event.currentTarget.value)
              }}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || combobox.getSelectedOptionIndex() >= 0) return
                // Enter never sends the form, and never keeps a fragment where the list has more than one meaning
                event.preventDefault()
                combobox.openDropdown()
                if (text.trim() === '' || !isSearched) return
                if (offered.length === 1) add(offered[0]!)
                else if (offered.length === 0) add({ code: '', desc: text.trim() })
              }}
              onFocus={open}
              onClick={open}
              onBlur={() => {
                setLeft(true)
                combobox.closeDropdown()
                props.onBlur?.()
              }}
              dir="auto"
              autoComplete="off"
            />
          </Combobox.Target>
          <Combobox.Dropdown hidden={offered.length === 0 && !text.trim() && state !== 'failed'}>
            <Combobox.Options aria-label={label} mah="16rem" style={{ overflowY: 'auto' }}>
              {offered.map((one) => (
                <Combobox.Option key={diagnosisKey(one)} value={diagnosisKey(one)}>
                  <Group justify="space-between" wrap="nowrap" gap="sm">
                    <Text size="sm" component="bdi">
                      {one.desc}
                    </Text>
                    <Text size="xs" c="dimmed" dir="ltr" style={{ whiteSpace: 'nowrap' }}>
                      {one.code}
                    </Text>
                  </Group>
                </Combobox.Option>
              ))}
              {text.trim() && (
                <Combobox.Option value="">
                  {say({ key: 'answers.ownWords', values: { text: text.trim() } })}
                </Combobox.Option>
              )}
              {state === 'failed' && <Combobox.Empty>{say('answers.searchFailed')}</Combobox.Empty>}
            </Combobox.Options>
          </Combobox.Dropdown>
        </Combobox>
      </Stack>
    </Input.Wrapper>
  )
}

const diagnosisKey = ({ code, desc }: FoundDiagnosis) => `${code} ${desc}`
const isSame = (a: FoundDiagnosis, b: FoundDiagnosis) =>
  a.code ? a.code === b.code : !b.code && a.desc === b.desc
