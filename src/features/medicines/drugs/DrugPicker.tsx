import { Group, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type KeyboardEvent, useState } from 'react'
import { api, type OperationResult } from '~/client/api'
import { useQuery } from '~/client/query'
import { PickList } from '~/fields/PickList'
import { type Sayable, useSay } from '~/shared/say'
import { explainError } from '~/client/explain'
import { FoundCount } from '~/ui/FoundCount'
import { drugTitle } from './drug'
import type { FoundDrug } from './drugs.server'
import { readGs1 } from '~/records/package-code'
import { tallMan } from './tall-man'
import { ScanButton } from './ScanButton'

const SETTLE_MS = 250
/** Digits alone, or a code with its parts: then it was scanned and not typed. */
const isCode = (text: string) => /^\d{8,14}$/.test(text.trim()) || readGs1(text) !== null

export type Scanned = OperationResult<'drugs.scan'>
type Props = {
  onChoose: (drug: FoundDrug) => void
  /** A package was scanned: known or not, with its batch and expiry if the code has them. */
  onScan: (scanned: Scanned) => void
  error?: Sayable
}

/**
 * Finds a medicine of the catalogue by typing any part of its names, or by scanning its package.
 */
export function DrugPicker({ onChoose, onScan, error }: Props) {
  const say = useSay()
  const [typed, setTyped] = useState('')
  const [settled] = useDebouncedValue(typed, SETTLE_MS)
  const { found, failure } = useFound(isCode(settled) ? '' : settled)
  const [scanFailure, setScanFailure] = useState<Sayable | null>(null)
  const problem = error ?? scanFailure ?? failure
  const label = (drug: FoundDrug) => tallMan(drugTitle(drug, say))

  const scan = (code: string) =>
    void api.drugs
      .scan({ code })
      .then(onScan)
      .catch((failed: unknown) => setScanFailure(explainError(failed).text))
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Enter' || !isCode(typed)) return
    event.preventDefault()
    scan(typed.trim())
    setTyped('')
  }

  return (
    <Group gap="xs" align="flex-end" wrap="nowrap">
      <PickList
        wrapperProps={{ 'data-late-list': true }}
        label={say('drugs.choose')}
        description={say('drugs.chooseHint')}
        data={found.map((drug) => ({ value: drug.id, label: label(drug) }))}
        // the server has chosen and ranked them, spelling forgiven
        filter={({ options }) => options}
        searchable
        searchValue={typed}
        onSearchChange={(text) => {
          setTyped(text)
          setScanFailure(null)
        }}
        onKeyDown={onKeyDown}
        onChange={(id) => {
          const drug = found.find((one) => one.id === id)
          if (drug) onChoose(drug)
        }}
        renderOption={({ option }) => (
          <Choice label={option.label} drug={found.find(({ id }) => id === option.value)} />
        )}
        nothingFoundMessage={settled && !failure ? say('form.nothingFound') : undefined}
        error={problem && say(problem)}
        autoComplete="off"
        data-autofocus
        style={{ flex: 1 }}
      />
      <ScanButton onScan={scan} />
      <FoundCount count={settled && !problem ? found.length : null} />
    </Group>
  )
}

function Choice({ label, drug }: { label: string; drug: FoundDrug | undefined }) {
  const say = useSay()
  return (
    <Group gap="xs" justify="space-between" w="100%">
      <Text size="sm">
        <bdi>{label}</bdi>
      </Text>
      <Text size="xs" c="dimmed">
        {drug && `${say(`drugs.form_${drug.form}`)} · ${say(`drugs.route_${drug.route}`)}`}
      </Text>
    </Group>
  )
}

function useFound(searchQuery: string): { found: FoundDrug[]; failure: Sayable | null } {
  const { data, error } = useQuery(
    'drugs.search',
    { searchQuery: searchQuery.trim() },
    { keepPrevious: true },
  )
  return { found: data ?? [], failure: error ? explainError(error).text : null }
}
