package push

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
)

// read is what a browser does with a message, in the steps of RFC 8291, section 3.4, and
// RFC 8188, section 2.
func (b *Browser) read(body []byte) ([]byte, error) {
	if len(body) < 21 || len(body) < 21+int(body[20]) {
		return nil, errors.New("the header is cut off")
	}
	salt, size, id, record := body[:16], binary.BigEndian.Uint32(body[16:20]), body[21:21+int(body[20])], body[21+int(body[20]):]
	if int64(len(record)) > int64(size) || size < 18 {
		return nil, errors.New("there is more than one record")
	}
	sender, err := ecdh.P256().NewPublicKey(id)
	if err != nil {
		return nil, err
	}
	shared, err := b.key.ECDH(sender)
	if err != nil {
		return nil, err
	}
	info := append([]byte("WebPush: info\x00"), b.key.PublicKey().Bytes()...)
	input := mac(mac(b.secret, shared), append(info, append(bytes.Clone(id), 1)...))
	prk := mac(salt, input)
	block, err := aes.NewCipher(mac(prk, []byte("Content-Encoding: aes128gcm\x00\x01"))[:16])
	if err != nil {
		return nil, err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	plain, err := gcm.Open(nil, mac(prk, []byte("Content-Encoding: nonce\x00\x01"))[:12], record, nil)
	if err != nil {
		return nil, err
	}
	plain = bytes.TrimRight(plain, "\x00")
	text, last := bytes.CutSuffix(plain, []byte{2})
	if !last {
		return nil, errors.New("the record is not the last one")
	}
	return text, nil
}

func mac(key, message []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(message)
	return h.Sum(nil)
}
