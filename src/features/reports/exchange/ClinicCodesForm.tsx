import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { toast } from '~/ui/toast'
import { api } from '~/client/api'
import { useSay } from '~/shared/say'
import { FormAlert } from '~/ui/FormAlert'
import { useFormState } from '~/ui/form'

type Clinic = { id: string; name: string; code: string | null }
type Values = Record<string, string>

/** The org unit of each clinic. */
export function ClinicCodesForm({ clinics }: { clinics: readonly Clinic[] }) {
  const say = useSay()
  const router = useRouter()
  const { values, change, base, alert, isDirty, isSaving, rebase, ref, submit } =
    useFormState<Values>({
      start: () => Object.fromEntries(clinics.map(({ id, code }) => [id, code ?? ''])),
      differs: (a, b) => Object.keys(b).some((id) => (a[id] ?? '').trim() !== b[id]!.trim()),
    })
  const save = async () => {
    const codes = Object.entries(values)
      .filter(([id, code]) => code.trim() !== (base[id] ?? ''))
      .map(([clinic_id, code]) => ({ clinic_id, code: code.trim() || null }))
    await api.externalCodes.saveClinics({ codes })
    rebase(values)
    await router.invalidate()
    toast.success(say('externalCodes.saved'))
  }
  return (
    <form ref={ref} onSubmit={(event) => void submit(event, save)} method="post" noValidate>
      <Stack gap="sm">
        <FormAlert {...alert} />
        {clinics.map(({ id, name }) => (
          <TextInput
            key={id}
            label={<bdi>{name}</bdi>}
            value={values[id] ?? ''}
            onChange={(event) => change({ [id]: event.currentTarget.value })}
            maxLength={230}
            dir="ltr"
            autoComplete="off"
          />
        ))}
        <Group>
          <Button type="submit" disabled={!isDirty || isSaving}>
            {say(isSaving ? 'common.saving' : 'common.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
