import { Group, Loader, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useQuery } from '~/client/query'
import { drugTitle } from '~/features/medicines/drugs/drug'
import { PickList } from '~/fields/PickList'
import { pickStrength } from '~/records/strength'
import { lookAlikes, tallMan } from '~/features/medicines/drugs/tall-man'
import type { InventoryItem } from '~/features/medicines/inventory/inventory.server'
import type { Message } from '~/shared/errors'
import { useSay } from '~/shared/say'
import { explainError } from '~/client/explain'
import { useComma } from '~/ui/comma'
import { FoundCount } from '~/ui/FoundCount'
import type { PickedDrug } from './prescription-draft'

const SETTLE_MS = 250
/** Of each kind, as many as can be looked through; a few more letters find the rest. */
const SHOWN = 50

type Props = {
  value: PickedDrug | null
  onChange: (drug: PickedDrug | null) => void
  stock: { items: readonly InventoryItem[]; error: Message | null; isLoading: boolean }
  error?: string
  disabled?: boolean
}

/**
 * Finds a medicine in the stock of the pickup clinic; others come from the catalogue and are
 * marked.
 */
export function MedicationPicker({ value, onChange, stock, error, disabled }: Props) {
  const say = useSay()
  const pickedTitle = (drug: PickedDrug) => tallMan(drugTitle(drug, say))
  const [typed, setTyped] = useState(value ? pickedTitle(value) : '')
  const isSearch = typed !== '' && typed !== (value && pickedTitle(value))
  const { found: elsewhere, failure } = useCatalogue(isSearch ? typed : '')

  const words = isSearch ? typed.toLowerCase().split(/\s+/).filter(Boolean) : []
  const inStock = stock.items
    .filter(({ is_active }) => is_active)
    .filter((item) => words.every((word) => soughtIn(item).includes(word)))
    .slice(0, SHOWN)
    .map(asPicked)
  const others = elsewhere.filter(
    ({ drug_id }) => !stock.items.some((item) => item.drug_id === drug_id),
  )
  const known = [...inStock, ...others, ...(value ? [value] : [])]
  const option = (drug: PickedDrug) => ({ value: drug.drug_id, label: pickedTitle(drug) })
  const isListed = value && [...inStock, ...others].some(({ drug_id }) => drug_id === value.drug_id)

  return (
    <>
      <PickList
        wrapperProps={{ 'data-late-list': true }}
        label={say('prescriptions.medication')}
        description={stock.error ? undefined : say('prescriptions.medicationHint')}
        placeholder={say('prescriptions.searchMedication')}
        value={value?.drug_id ?? null}
        data={[
          ...(value && !isListed ? [option(value)] : []),
          ...(inStock.length > 0
            ? [{ group: say('prescriptions.inStock'), items: inStock.map(option) }]
            : []),
          ...(others.length > 0
            ? [{ group: say('prescriptions.notInStock'), items: others.map(option) }]
            : []),
        ]}
        // both lists are narrowed already, the catalogue's with spelling forgiven
        filter={({ options }) => options}
        searchable
        // the list would cover what else is wrong
        openOnFocus={!error}
        searchValue={typed}
        onSearchChange={setTyped}
        onChange={(id) => onChange(known.find(({ drug_id }) => drug_id === id) ?? null)}
        renderOption={({ option: { value: id, label } }) => (
          <Choice label={label} drug={known.find(({ drug_id }) => drug_id === id)} />
        )}
        nothingFoundMessage={say(failure ?? 'form.nothingFound')}
        rightSection={stock.isLoading ? <Loader size="xs" /> : undefined}
        error={error ?? (stock.error ? say(stock.error) : undefined)}
        aria-invalid={Boolean(error) || undefined}
        withAsterisk
        aria-required
        disabled={disabled}
        maxDropdownHeight={320}
        autoComplete="off"
      />
      {value && <LookAlike drug={value} />}
      <FoundCount count={isSearch && !failure ? inStock.length + others.length : null} />
    </>
  )
}

/** A second look at a name of the published list: what else it has been mistaken for. */
function LookAlike({ drug }: { drug: PickedDrug }) {
  const say = useSay()
  const comma = useComma()
  const others = lookAlikes(drug.generic_name)
  if (others.length === 0) return null
  return (
    <Text size="sm" fw={500} component="output" display="block">
      {say({
        key: 'prescriptions.lookAlike',
        values: { name: tallMan(drug.generic_name), others: others.join(comma) },
      })}
    </Text>
  )
}

function Choice({ label, drug }: { label: string; drug: PickedDrug | undefined }) {
  const say = useSay()
  return (
    <Group justify="space-between" gap="sm" wrap="nowrap" w="100%">
      <Text size="sm" component="bdi">
        {label}
        {drug && (
          <Text span size="xs" c="dimmed">
            {' · '}
            {say(`drugs.form_${drug.form}`)}
          </Text>
        )}
      </Text>
      {drug && drug.quantity !== null && (
        <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
          {say({ key: 'prescriptions.left', values: { count: drug.quantity } })}
        </Text>
      )}
    </Group>
  )
}

const soughtIn = ({ generic_name, brand_name, ingredients }: InventoryItem) =>
  [generic_name, brand_name ?? '', ...ingredients].join(' ').toLowerCase()

const asPicked = (item: InventoryItem): PickedDrug => ({
  drug_id: item.drug_id,
  ingredients: item.ingredients,
  generic_name: item.generic_name,
  brand_name: item.brand_name,
  form: item.form,
  route: item.route,
  ...pickStrength(item),
  quantity: item.quantity,
})

/**
 * Searches the whole catalogue while the user types. If that fails, the clinic's own stock is
 * offered.
 */
function useCatalogue(typed: string): { found: PickedDrug[]; failure: Message | null } {
  const [settled] = useDebouncedValue(typed, SETTLE_MS)
  const input = settled.trim() ? { searchQuery: settled, limit: 10 } : null
  const { data = [], error } = useQuery('drugs.search', input, { keepPrevious: true })
  if (!input) return { found: [], failure: null }
  return {
    found: data.map(({ id, ...drug }) => ({ ...drug, drug_id: id, quantity: null })),
    failure: error ? explainError(error).text : null,
  }
}
