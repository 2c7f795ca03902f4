import { Switch } from '@mantine/core'
import { api } from '~/client/api'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'

type Name = 'is_editable' | 'is_snapshot_form'
type Props = {
  form: { id: string; name: string } & Record<Name, boolean>
  name: Name
  mayChange: boolean
}

const writes = {
  is_editable: api.eventForms.setEditable,
  is_snapshot_form: api.eventForms.setSnapshot,
}

/** How a form may be used, changed in the list. */
export function FormSwitch({ form, name, mayChange }: Props) {
  const say = useSay()
  const { run, pending } = useAction()
  const isOn = form[name]
  const set = (on: boolean) => writes[name]({ id: form.id, on })
  return (
    <Switch
      checked={isOn}
      disabled={!mayChange || pending}
      aria-label={say({
        key: 'eventForms.switchFor',
        values: { switch: say(`eventForms.${name}`), name: form.name },
      })}
      onChange={() =>
        void run(() => set(!isOn), {
          success: {
            key: isOn ? 'eventForms.switchedOff' : 'eventForms.switchedOn',
            values: { switch: say(`eventForms.${name}`), name: form.name },
          },
          undo: () => set(isOn),
        })
      }
    />
  )
}
