import type { ReactNode } from 'react'

/** The buttons that a form ends with (forms.css): in view on a phone and in a dialog, whatever part is read. */
export const FormActions = ({ children }: { children: ReactNode }) => (
  <div className="form-actions">{children}</div>
)
