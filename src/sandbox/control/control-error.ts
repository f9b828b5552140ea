/** A control call that cannot be done; `httpStatus` is what the endpoint answers. */
export class ControlError extends Error {
  readonly httpStatus: number

  constructor(httpStatus: number, message: string) {
    super(message)
    this.httpStatus = httpStatus
  }
}
